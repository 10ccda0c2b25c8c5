import { openJsonSocket } from './json-socket.ts'
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

/** A client of `/api/stream`. */
export async function openStream(url: string, headers: Record<string, string>) {
  const socket = await openJsonSocket<StreamMessage>(url, '/api/stream', headers)
  const { messages } = socket
  const sent: string[] = []
  let refs = 0

  return {
    ...socket,
    /** Texts of every frame that was sent. */
    sent,
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
  }
}
