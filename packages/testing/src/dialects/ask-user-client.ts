import type { AskUserQuestion, ServerMessage, SessionStatus } from '@holdpoint/server/dialects/ask-user/messages'

/** What tests use of examples/clients/ask-user.mjs, which was written from the ask-user protocol alone. */
export interface AskUserClient {
  readonly question: Omit<AskUserQuestion, 'type'> | null
  readonly status: Omit<SessionStatus, 'type'> | null
  readonly taken: boolean
  readonly connected: boolean
  readonly inputDisabled: boolean
  answer(answers: Record<string, string | string[]>): void
  cancel(): void
  send(text: string): void
  reconnect(): void
  waitFor<T>(predicate: () => T, options?: { signal?: AbortSignal }): Promise<NonNullable<T>>
  close(): void
}

const DEADLINE_MS = 30_000

export async function connectAskUser(options: { url: string; token: string; sessionId: string }) {
  const path = new URL('../../../../examples/clients/ask-user.mjs', import.meta.url).href
  const { connectAskUser: connect } = (await import(/* @vite-ignore */ path)) as {
    connectAskUser(
      given: typeof options & {
        onChange: (client: AskUserClient, message?: ServerMessage) => void
        onError: (error: Error & { code?: string }) => void
      },
    ): AskUserClient
  }
  const messages: ServerMessage[] = []
  const errors: (Error & { code?: string })[] = []
  const client = connect({
    ...options,
    onChange: (_, message) => message && messages.push(message),
    onError: (error) => errors.push(error),
  })
  const waitFor = <Value>(look: () => Value): Promise<NonNullable<Value>> =>
    client.waitFor(look, { signal: AbortSignal.timeout(DEADLINE_MS) })
  await waitFor(() => client.status)

  return {
    client,
    /** Everything that the server sent, in order. */
    messages,
    errors,
    waitFor,
    /** What is on the screen, as soon as it is there; another one than `after`, where that is given. */
    question: (after?: { readonly question_id: string }) =>
      waitFor(() => (client.question?.question_id === after?.question_id ? undefined : client.question)),
    /** Waits until the agent has done its work and listens. */
    idle: () => waitFor(() => client.status && !client.status.is_processing && !client.inputDisabled),
    /** The message that took a question off the screen. */
    over: (question: { readonly question_id: string }) =>
      waitFor(() =>
        messages.find((one) => one.type === 'ask_user_timeout' && one.question_id === question.question_id),
      ),
  }
}
