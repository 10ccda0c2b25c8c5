import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { endianness } from 'node:os'
import { expect, it } from 'vitest'
import { createLocalCallers, ownersIn } from './local-callers.ts'

const OWN = 1000
const OTHER = 1001

/** An address as the kernel writes it on this machine, from its bytes. */
function kernel(...bytes: number[]): string {
  const words = Buffer.from(bytes)
  return (endianness() === 'LE' ? words.swap32() : words).toString('hex').toUpperCase()
}

const LOOPBACK = kernel(127, 0, 0, 1)
const MAPPED = kernel(...Array(10).fill(0), 255, 255, 127, 0, 0, 1)
const LOOPBACK_6 = kernel(...Array(15).fill(0), 1)
const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** The line of a client at port 40000 that is connected to 4680. */
function line({ address = LOOPBACK, uid = OWN, inode = 4511689, from = 40_000, to = 4680 } = {}): string {
  return `   7: ${address}:${hex(from)} ${address}:${hex(to)} 01 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 00000000df8bd74d 20 4 30 10 -1\n`
}

function connection(address: string) {
  return { remoteAddress: address, remotePort: 40_000, localAddress: address, localPort: 4680 }
}

async function* inPieces(...pieces: string[]) {
  yield* pieces
}

/** A system that does not let us see its tables. */
async function* hidden(): AsyncGenerator<string> {
  yield await Promise.reject(Object.assign(new Error('hidden'), { code: 'EACCES' }))
}

const reading = (...tables: string[]) => createLocalCallers({ uid: OWN, read: () => inPieces(...tables) })

it.runIf(endianness() === 'LE')('T64 reads a line as Linux writes it', () => {
  const table =
    '   3: 0100007F:9C40 0100007F:1248 01 00000000:00000000 00:00000000 00000000 65534        0 81234 1 0000000000000000 20 4 30 10 -1\n'
  expect([...ownersIn(table)]).toEqual([['127.0.0.1 40000 127.0.0.1 4680', 65534]])
})

it('T64 finds whose program calls by the caller’s own socket', async () => {
  const at = connection('127.0.0.1')
  expect(await reading(line()).isOtherUser(at)).toBe(false)
  expect(await reading(line({ uid: 0 })).isOtherUser(at)).toBe(false)
  expect(await reading(line({ uid: OTHER })).isOtherUser(at)).toBe(true)
  // In the table of IPv6, as sockets that take both are.
  expect(await reading('', line({ address: MAPPED })).isOtherUser(at)).toBe(false)
  expect(await reading('', line({ address: MAPPED, uid: OTHER })).isOtherUser(connection('::ffff:127.0.0.1'))).toBe(
    true,
  )
  expect(await reading('', line({ address: LOOPBACK_6 })).isOtherUser(connection('::1'))).toBe(false)
  expect(await reading('', line({ address: LOOPBACK_6, uid: OTHER })).isOtherUser(connection('::1'))).toBe(true)
})

it('T64 a caller of this machine whose socket is not found is another user’s', async () => {
  const at = connection('127.0.0.1')
  expect(await reading('').isOtherUser(at)).toBe(true)
  expect(await reading(line({ from: 40_001 })).isOtherUser(at)).toBe(true)
  // Our own end of the connection is not the caller's.
  expect(await reading(line({ from: 4680, to: 40_000 })).isOtherUser(at)).toBe(true)
  // Closed by its program: the kernel says that it is root's.
  expect(await reading(line({ uid: 0, inode: 0 })).isOtherUser(at)).toBe(true)
  expect(await reading(line()).isOtherUser({ localAddress: '127.0.0.1', localPort: 4680 })).toBe(true)
})

it('T64 looks at nothing where there is nothing to see', async () => {
  // Another machine, which cannot reach a loopback address.
  const far = { ...connection('127.0.0.1'), remoteAddress: '203.0.113.9' }
  expect(await reading('').isOtherUser({ ...far, localAddress: '203.0.113.1' })).toBe(false)
  expect(await reading('').isOtherUser(far)).toBe(true)
  // No table, no users.
  expect(await createLocalCallers({ uid: OWN, read: hidden }).isOtherUser(connection('::1'))).toBe(false)
  expect(await createLocalCallers({ uid: undefined }).isOtherUser(connection('127.0.0.1'))).toBe(false)
})

it('T64 one reading of the table serves all who came before it, and none who came later', async () => {
  const tables: string[] = ['']
  let readings = 0
  const callers = createLocalCallers({
    uid: OWN,
    async *read() {
      readings++
      const seen = [...tables]
      await new Promise((resolve) => setImmediate(resolve))
      yield* seen
    },
  })
  const first = callers.isOtherUser(connection('127.0.0.1'))
  await Promise.resolve().then(() => {})
  while (readings === 0) await Promise.resolve()
  tables[0] = line()
  const later = Array.from({ length: 50 }, () => callers.isOtherUser(connection('127.0.0.1')))
  expect(await first).toBe(true)
  expect(await Promise.all(later)).toEqual(Array(50).fill(false))
  expect(readings).toBe(2)
})

it('T64 reads on until every caller is found, and no further', async () => {
  const pieces = [line({ from: 40_001 }), line(), line({ from: 40_002 })]
  let read = 0
  const callers = createLocalCallers({
    uid: OWN,
    async *read() {
      for (const piece of pieces) {
        read++
        yield piece
      }
    },
  })
  expect(await callers.isOtherUser(connection('127.0.0.1'))).toBe(false)
  expect(read).toBe(2)
})

it.runIf(process.platform === 'linux').each(['127.0.0.1', '::1'])(
  'T64 knows a program of our own at %s',
  async (host) => {
    const server = createServer().listen(0, host)
    try {
      await once(server, 'listening')
      const client = connect((server.address() as AddressInfo).port, host)
      const [socket] = (await once(server, 'connection')) as [Socket]
      expect(await createLocalCallers({ uid: process.geteuid?.() }).isOtherUser(socket)).toBe(false)
      expect(await createLocalCallers({ uid: 4_000_000 }).isOtherUser(socket)).toBe(process.geteuid?.() !== 0)
      client.destroy()
      socket.destroy()
    } finally {
      server.close()
    }
  },
)
