import type { ServerMessage } from '@holdpoint/server/dialects/ask-user/messages'
import { openJsonSocket } from '../json-socket.ts'
import { until } from '../until.ts'

/** A client of `/ws/chat/:sessionId` that keeps nothing to itself: what comes is read in order. */
export async function openChat(url: string, sessionId: string, headers: Record<string, string>) {
  const socket = await openJsonSocket<ServerMessage>(url, `/ws/chat/${sessionId}`, headers)
  let read = 0

  return {
    ...socket,
    /** The next message that was not read yet. */
    next: (): Promise<ServerMessage> =>
      until(
        () => {
          const message = socket.messages[read]
          if (message) read++
          return message
        },
        `a message after ${JSON.stringify(socket.messages)}`,
      ),
    /** The next so many. */
    async take(count: number): Promise<ServerMessage[]> {
      const taken: ServerMessage[] = []
      while (taken.length < count) taken.push(await this.next())
      return taken
    },
    respond: (questionId: string, answers: unknown, more: Record<string, unknown> = { cancelled: false }) =>
      socket.send({ type: 'ask_user_response', data: { question_id: questionId, answers, ...more } }),
    cancel: (questionId: string) =>
      socket.send({ type: 'ask_user_response', data: { question_id: questionId, answers: {}, cancelled: true } }),
    say: (text: unknown) => socket.send({ type: 'message', data: { text } }),
    /** Everything that was sent for what has happened so far, without what was read already. */
    async rest(): Promise<ServerMessage[]> {
      socket.send({ type: 'anything else?' })
      await until(() => socket.messages.slice(read).some(isProbe), 'the reply to a probe')
      const rest = socket.messages.slice(read)
      read = socket.messages.length
      return rest.filter((message) => !isProbe(message))
    },
  }
}
export type Chat = Awaited<ReturnType<typeof openChat>>

function isProbe(message: ServerMessage): boolean {
  return message.type === 'error' && message.error === 'unknown_type'
}
