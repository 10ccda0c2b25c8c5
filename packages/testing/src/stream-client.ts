import { WebSocket } from 'ws'
import { until } from './until.ts'

/** What the server sends on `/api/stream`, as far as tests look into it. */
export interface StreamMessage {
  readonly type: string
  readonly seq?: number
  readonly ref?: string
  readonly status?: number
  readonly event?: { readonly type: string; readonly sessionId: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** A client of `/api/stream`. Resolves when it is open; rejects with the status when it was refused. */
export async function openStream(url: string, headers: Record<string, string>) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/api/stream`, { headers })
  const messages: StreamMessage[] = []
  const sent: string[] = []
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  socket.on('message', (data) => messages.push(JSON.parse(data.toString()) as StreamMessage))
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('unexpected-response', (_, response) => {
      reject(new Error(`refused: ${response.statusCode}`))
      response.destroy()
    })
    socket.on('error', reject)
  })
  socket.on('error', () => {})
  let refs = 0

  return {
    socket,
    messages,
    /** Texts of every frame that was sent. */
    sent,
    closed,
    send(message: unknown) {
      const text = typeof message === 'string' ? message : JSON.stringify(message)
      sent.push(text)
      socket.send(text)
    },
    /** Answers an ask on the socket and gives back the reply. */
    async answer(ask: { id: string; digest: string }, answer: Record<string, unknown>): Promise<StreamMessage> {
      const ref = `r${++refs}`
      this.send({ type: 'answer', ref, id: ask.id, digest: ask.digest, ...answer })
      return until(() => messages.find((message) => message.type === 'answered' && message.ref === ref), 'the reply')
    },
    /** Positions of the durable events that came, in order. */
    seqs: () => messages.flatMap((message) => (message.type === 'event' && message.seq ? [message.seq] : [])),
    close: () => socket.terminate(),
  }
}
export type StreamClient = Awaited<ReturnType<typeof openStream>>
