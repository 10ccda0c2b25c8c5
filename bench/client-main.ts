import { WebSocket } from 'ws'
import { machineNow, serveCommands } from './commands.ts'
import { TOKEN } from './gateway-process.ts'

const CONNECT_BATCH = 100
/** Connections from one source address; well below the number of ports that there are. */
const PER_ADDRESS = 8000
/** What is waited for, and not that something has changed outside of all sessions. */
const RAISED = '"ask-raised"'

interface Connect {
  readonly url: string
  readonly to: 'gateway' | 'bare'
  /** Answers what it is asked; the others only listen. */
  readonly answers: boolean
  /** Answers the asks of these sessions alone. */
  readonly sessions?: readonly string[]
  readonly count: number
}

const sockets: WebSocket[] = []
/** Counts down while an event reaches one client after another. */
let missing = 0
let arrivedAt: (at: number) => void = () => {}

async function connect({ count, ...each }: Connect) {
  for (let from = 0; from < count; from += CONNECT_BATCH) {
    const batch = Array.from({ length: Math.min(CONNECT_BATCH, count - from) }, (_, index) =>
      open({ ...each, number: from + index }),
    )
    sockets.push(...(await Promise.all(batch)))
  }
}

function open(options: Omit<Connect, 'count'> & { number: number }): Promise<WebSocket> {
  const { url, to, answers, number } = options
  const sessions = options.sessions && new Set(options.sessions)
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/stream`, {
    headers: { authorization: `Bearer ${TOKEN}` },
    perMessageDeflate: false,
    localAddress: `127.0.0.${1 + Math.floor(number / PER_ADDRESS)}`,
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => {
      if (to === 'bare') return resolve(socket)
      socket.send('{"type":"subscribe"}')
      // The snapshot: from here on it gets everything.
      socket.once('message', () => resolve(socket))
    })
    socket.on('message', (data) => {
      if (answers) answer(socket, to, data.toString(), sessions)
      else if (missing > 0 && data.toString().includes(RAISED) && --missing === 0) arrivedAt(machineNow())
    })
  })
}

function answer(socket: WebSocket, to: Connect['to'], text: string, sessions: ReadonlySet<string> | undefined) {
  const message = JSON.parse(text)
  if (to === 'bare') return socket.send(JSON.stringify({ id: message.id, kind: 'allow' }))
  if (message.type !== 'event' || message.event.type !== 'ask-raised') return
  if (sessions?.has(message.event.sessionId) === false) return
  const { id, digest } = message.event.ask
  socket.send(JSON.stringify({ type: 'answer', ref: id, id, kind: 'allow', digest }))
}

let arrival: Promise<number> = Promise.resolve(0)

serveCommands(
  {
    connect,
    disconnect() {
      for (const socket of sockets.splice(0)) socket.terminate()
    },
    /** The next event is to be waited for at all clients. */
    expect() {
      missing = sockets.length
      arrival = new Promise((resolve) => {
        arrivedAt = resolve
      })
    },
    arrived: () => arrival,
    /** Everything that is open, as a program gets it, page by page; how long it took, and how many there were. */
    async list({ url }: { url: string }) {
      const from = performance.now()
      let count = 0
      for (let place = ''; ; ) {
        const reply = await fetch(`${url}/api/asks${place}`, { headers: { authorization: `Bearer ${TOKEN}` } })
        const { asks, next } = (await reply.json()) as { asks: unknown[]; next?: string }
        count += asks.length
        if (next === undefined) return { ms: performance.now() - from, count }
        place = `?next=${next}`
      }
    },
    /** The same over the stream, answered all at once. */
    async answerAll({ url }: { url: string }) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/api/stream`, {
        headers: { authorization: `Bearer ${TOKEN}` },
        perMessageDeflate: false,
      })
      sockets.push(socket)
      const from = performance.now()
      const first = await new Promise<string>((resolve, reject) => {
        socket.once('error', reject)
        socket.once('open', () => socket.send('{"type":"subscribe"}'))
        socket.once('message', (data) => resolve(data.toString()))
      })
      const { asks } = JSON.parse(first) as { asks: { id: string; digest: string }[] }
      const snapshotMs = performance.now() - from
      for (const { id, digest } of asks) {
        socket.send(JSON.stringify({ type: 'answer', ref: id, id, kind: 'allow', digest }))
      }
      return { snapshotMs, snapshotBytes: first.length }
    },
    close() {
      for (const socket of sockets.splice(0)) socket.terminate()
    },
  },
  {},
)
