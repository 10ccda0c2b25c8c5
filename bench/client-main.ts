import { WebSocket } from 'ws'
import { machineNow, serveCommands } from './commands.ts'
import { TOKEN } from './gateway-process.ts'

const CONNECT_BATCH = 100
/** Connections from one source address; well below the number of ports that there are. */
const PER_ADDRESS = 8000

interface Connect {
  readonly url: string
  readonly to: 'gateway' | 'bare'
  /** Answers what it is asked; the others only listen. */
  readonly answers: boolean
  readonly count: number
}

const sockets: WebSocket[] = []
/** Counts down while an event reaches one client after another. */
let missing = 0
let arrivedAt: (at: number) => void = () => {}

async function connect({ url, to, answers, count }: Connect) {
  for (let from = 0; from < count; from += CONNECT_BATCH) {
    const batch = Array.from({ length: Math.min(CONNECT_BATCH, count - from) }, (_, index) =>
      open({ url, to, answers, number: from + index }),
    )
    sockets.push(...(await Promise.all(batch)))
  }
}

function open({ url, to, answers, number }: Omit<Connect, 'count'> & { number: number }): Promise<WebSocket> {
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
      if (answers) answer(socket, to, data.toString())
      else if (missing > 0 && --missing === 0) arrivedAt(machineNow())
    })
  })
}

function answer(socket: WebSocket, to: Connect['to'], text: string) {
  const message = JSON.parse(text)
  if (to === 'bare') return socket.send(JSON.stringify({ id: message.id, kind: 'allow' }))
  if (message.type !== 'event' || message.event.type !== 'ask-raised') return
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
    /** Everything that is open, as a program gets it; how long it took, and how many there were. */
    async list({ url }: { url: string }) {
      const from = performance.now()
      const reply = await fetch(`${url}/api/asks`, { headers: { authorization: `Bearer ${TOKEN}` } })
      const { asks } = (await reply.json()) as { asks: unknown[] }
      return { ms: performance.now() - from, count: asks.length }
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
