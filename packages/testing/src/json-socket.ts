import { WebSocket } from 'ws'
import { until } from './until.ts'

/** A client of a WebSocket of JSON messages. Resolves when it is open; rejects with the status when it was refused. */
export async function openJsonSocket<Message extends { readonly type: string }>(
  url: string,
  path: string,
  headers: Record<string, string>,
) {
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path, { headers })
  const messages: Message[] = []
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  socket.on('message', (data) => messages.push(JSON.parse(data.toString()) as Message))
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('unexpected-response', (_, response) => {
      reject(new Error(`refused: ${response.statusCode}`))
      response.destroy()
    })
    socket.on('error', reject)
  })
  socket.on('error', () => {})

  return {
    socket,
    /** Everything that came, in order. */
    messages,
    closed,
    /** Texts and bytes go out as they are. */
    send(message: unknown) {
      const isReady = typeof message === 'string' || Buffer.isBuffer(message)
      socket.send(isReady ? message : JSON.stringify(message))
    },
    /** The first message, from `from` on, that fits. */
    message: (fits: (message: Message) => boolean, what: string, from = 0): Promise<Message> =>
      until(() => messages.slice(from).find(fits), what),
    close: () => socket.terminate(),
  }
}
