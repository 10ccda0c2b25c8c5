import { open } from 'node:fs/promises'
import { endianness, networkInterfaces } from 'node:os'

const IPV4 = '/proc/net/tcp'
const IPV6 = '/proc/net/tcp6'
const PIECE_BYTES = 64 * 1024
const ROOT = 0

/** The four numbers of a connection, as our end of it has them. */
export interface Connection {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

export interface LocalCallers {
  /** Whether the other end belongs to a program of another user of this machine. */
  isOtherUser(connection: Connection): Promise<boolean>
}

/**
 * Whose programs call over plain HTTP (T64). Other users of the machine can have the gateway's port while it is down, keep
 * connections from then, and even get new ones while it is up: what a client sends them they could pass on, or use
 * themselves. Linux knows the user of every socket. The caller's own socket has to be found, and has to be ours or root's:
 * hiding it from the kernel's table only gets the caller refused. Callers on other machines have no socket here, and on
 * other systems nothing can be seen.
 */
export function createLocalCallers({
  uid,
  read = readTables,
}: {
  /** Undefined on systems that have no such thing. */
  readonly uid: number | undefined
  /** The kernel's tables, piece by piece. Fails with ENOENT or EACCES where there are none to be seen. */
  readonly read?: () => AsyncIterable<string>
}): LocalCallers {
  let running: Promise<unknown> = Promise.resolve()
  let next: { readonly wanted: Set<string>; readonly found: ReturnType<typeof findOwners> } | undefined

  /** One reading serves everybody who came before it began. */
  function owners(key: string): ReturnType<typeof findOwners> {
    if (!next) {
      const wanted = new Set<string>()
      const found = running.then(() => {
        next = undefined
        const reading = findOwners(wanted, read())
        running = reading.catch(() => {})
        return reading
      })
      next = { wanted, found }
    }
    next.wanted.add(key)
    return next.found
  }

  return {
    async isOtherUser(connection) {
      const { remoteAddress, remotePort, localAddress, localPort } = connection
      if (uid === undefined || localAddress === undefined || localPort === undefined) return false
      // Gone already: nobody hears the answer.
      if (remoteAddress === undefined || remotePort === undefined) return true
      // What reaches a loopback address comes from here, from whatever address it claims.
      if (!isLoopback(plain(localAddress)) && !isOfThisMachine(remoteAddress)) return false
      const key = keyOf(remoteAddress, remotePort, localAddress, localPort)
      const found = await owners(key)
      if (!found) return false
      const owner = found.get(key)
      return owner !== uid && owner !== ROOT
    },
  }
}

/**
 * The users of these sockets, by own end and other end; undefined where the system has no such tables, or keeps them from us.
 * It stops at the last one that is wanted: for the end of a table the kernel walks through all of it once more.
 */
async function findOwners(
  wanted: ReadonlySet<string>,
  pieces: AsyncIterable<string>,
): Promise<ReadonlyMap<string, number> | undefined> {
  const found = new Map<string, number>()
  try {
    for await (const piece of pieces) {
      for (const [key, owner] of ownersIn(piece)) if (wanted.has(key)) found.set(key, owner)
      if (found.size === wanted.size) break
    }
  } catch (error) {
    if (isNotThere(error)) return undefined
    throw error
  }
  return found
}

/** By own end and other end. Sockets that no program has any more are left out: the kernel says that they are root's. */
export function ownersIn(lines: string): Map<string, number> {
  const owners = new Map<string, number>()
  for (const line of lines.split('\n')) {
    const [, local = '', remote = '', , , , , uid = '', , inode = '0'] = line.trim().split(/\s+/)
    const [own, other] = [endOf(local), endOf(remote)]
    if (own && other && /^\d+$/.test(uid) && inode !== '0') owners.set(`${own} ${other}`, Number(uid))
  }
  return owners
}

function keyOf(ownAddress: string, ownPort: number, otherAddress: string, otherPort: number): string {
  return `${plain(ownAddress)} ${ownPort} ${plain(otherAddress)} ${otherPort}`
}

function endOf(text: string): string | undefined {
  const [, address, port] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(text) ?? []
  return address === undefined || port === undefined ? undefined : `${addressOf(address)} ${Number.parseInt(port, 16)}`
}

/** The kernel writes an address as words of four bytes, each in the byte order of the machine. */
function addressOf(hex: string): string {
  const words = Buffer.from(hex, 'hex')
  const bytes = endianness() === 'LE' ? words.swap32() : words
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16))
  return plain(new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1))
}

/** One way of writing an address: IPv4 inside IPv6 is IPv4, and no zone. */
function plain(address: string): string {
  const bare = address.replace(/%.*/, '').toLowerCase()
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/.exec(bare)
  if (!mapped) return bare
  const [, dotted, high = '', low = ''] = mapped
  if (dotted !== undefined) return dotted
  const bytes = [high, low].flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
  return bytes.join('.')
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1'
}

/** By the interfaces that Node lists: one without a carrier is not among them. */
function isOfThisMachine(address: string): boolean {
  const wanted = plain(address)
  if (isLoopback(wanted)) return true
  return Object.values(networkInterfaces()).some((each) => each?.some((one) => plain(one.address) === wanted))
}

async function* readTables(): AsyncGenerator<string> {
  yield* readTable(IPV4)
  try {
    yield* readTable(IPV6)
  } catch (error) {
    // Without IPv6 there is no second one.
    if (!isNotThere(error)) throw error
  }
}

async function* readTable(path: string): AsyncGenerator<string> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(PIECE_BYTES)
    let rest = ''
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length)
      const lines = rest + buffer.toString('latin1', 0, bytesRead)
      const end = bytesRead === 0 ? lines.length : lines.lastIndexOf('\n') + 1
      if (end > 0) yield lines.slice(0, end)
      if (bytesRead === 0) return
      rest = lines.slice(end)
    }
  } finally {
    await file.close()
  }
}

function isNotThere(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'EACCES'
}
