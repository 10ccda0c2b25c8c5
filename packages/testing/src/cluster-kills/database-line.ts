import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The statements that append to the log and begin a life, as they are parsed once for each connection, after their names. */
const PARSED = /([0-9a-f]{32})\0SELECT [a-zA-Z_, ]* FROM (append|claim)\(/
const LISTEN = 'LISTEN '
/** In what it appends, where a person or a program waits to hear whether it counts. */
const AWAITED = /retryKey|raisedBy/

/** One connection. */
export interface Wire {
  readonly client: Socket
  readonly server: Socket
  /** For the server it goes on, until it has replied once more. */
  leave(): void
  /** Ends it at both ends, once the other end has these bytes. */
  endAfter(to: Socket, bytes: Buffer): void
}

/** A commit that somebody waits for: `sent` by the gateway and not passed on yet, or `replied` to by the server and not told yet. */
type Moment = 'sent' | 'replied'
type Take = (wire: Wire, bytes: Buffer) => void

/** A gateway's line to PostgreSQL. It knows a commit when it sees one, so that what is cut is what a caller waits for. */
export async function startDatabaseLine(port: number) {
  const wires = new Set<Wire>()
  const traps: { readonly moment: Moment; readonly take: Take }[] = []
  const names = new Map<string, string>()
  const onClaimed = new Set<() => void>()
  let hearsAgain: Promise<void> | undefined

  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port })
    let isCommitting = false
    let isClaiming = false
    let isListening = false
    let isLeft = false
    const end = () => {
      wires.delete(wire)
      client.destroy()
      upstream.destroy()
    }
    const wire: Wire = {
      client,
      server: upstream,
      leave() {
        isLeft = true
        client.destroy()
      },
      endAfter: (to, bytes) => void (bytes.length > 0 ? to.write(bytes, end) : end()),
    }
    wires.add(wire)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.on('close', () => !isLeft && end())
    upstream.on('close', end)
    client.on('data', (bytes) => {
      const text = bytes.toString('latin1')
      const [, name, what] = PARSED.exec(text) ?? []
      if (name && what) names.set(what, name)
      const sends = (statement: string) => names.has(statement) && text.includes(String(names.get(statement)))
      if (text.includes(LISTEN)) isListening = true
      isClaiming = sends('claim')
      isCommitting = sends('append') && AWAITED.test(text)
      const trap = isCommitting && take('sent')
      if (trap) trap(wire, bytes)
      else upstream.write(bytes)
    })
    upstream.on('data', async (bytes) => {
      if (isLeft) return end()
      const trap = isCommitting && take('replied')
      if (isClaiming) for (const told of onClaimed) told()
      isCommitting = isClaiming = false
      if (trap) return trap(wire, bytes)
      if (isListening && hearsAgain) await hearsAgain
      if (!client.destroyed) client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve))

  function take(moment: Moment): Take | undefined {
    const index = traps.findIndex((trap) => trap.moment === moment)
    return index < 0 ? undefined : traps.splice(index, 1)[0]?.take
  }

  return {
    port: (server.address() as AddressInfo).port,
    /** Ends every connection now, whatever is under way on it. */
    cut() {
      for (const { client } of wires) client.destroy()
    },
    /** Gives the next commit that somebody waits for to `work`, which passes on what it likes. False: there was none for so long. */
    atCommit(moment: Moment, work: Take, waitMs: number): Promise<boolean> {
      return new Promise((resolve) => {
        const trap = {
          moment,
          take(wire: Wire, bytes: Buffer) {
            clearTimeout(timer)
            work(wire, bytes)
            resolve(true)
          },
        }
        const timer = setTimeout(() => {
          traps.splice(traps.indexOf(trap), 1)
          resolve(false)
        }, waitMs)
        traps.push(trap)
      })
    },
    /** Calls once, when the next life of the gateway has begun, before the gateway knows it. */
    onceClaimed(told: () => void) {
      const once = () => {
        onClaimed.delete(once)
        told()
      }
      onClaimed.add(once)
    },
    /** Meanwhile the gateway is told of nothing that others do. It is told later, in the order in which it was. */
    async deafen(work: () => Promise<void>) {
      const working = work().catch(() => {})
      hearsAgain = working
      await working
      if (hearsAgain === working) hearsAgain = undefined
    },
    async close() {
      for (const { client, server: upstream } of wires) {
        client.destroy()
        upstream.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type DatabaseLine = Awaited<ReturnType<typeof startDatabaseLine>>
