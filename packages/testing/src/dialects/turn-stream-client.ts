import type { QuestionPromptEvent, SessionStatusEvent, StreamEvent } from '@holdpoint/schema/turn-stream'

interface ToolCallState {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: string
  readonly result?: string
  readonly status: 'pending' | 'running' | 'complete' | 'error'
  readonly interactiveType?: 'question' | 'approval'
  readonly questions?: QuestionPromptEvent['questions']
  readonly outcome?: string
  readonly reason?: string
}

/** What tests use of examples/clients/turn-stream.mjs, which was written from the turn-stream protocol alone. */
export interface TurnStreamClient {
  readonly streaming: boolean
  readonly status: SessionStatusEvent | null
  readonly messages: readonly { role: 'user' | 'assistant'; content: string; toolCalls: readonly ToolCallState[] }[]
  readonly toolCalls: readonly ToolCallState[]
  readonly pendingInteractions: readonly ToolCallState[]
  getToolCall(toolCallId: string): ToolCallState | null
  sendMessage(content: string, options?: { signal?: AbortSignal }): AsyncGenerator<StreamEvent, void, void>
  join(options?: { signal?: AbortSignal }): AsyncGenerator<StreamEvent, void, void>
  approveTool(toolCallId: string): Promise<{ ok: boolean }>
  denyTool(toolCallId: string, options?: { message?: string }): Promise<{ ok: boolean }>
  submitAnswers(toolCallId: string, answers: readonly (string | readonly string[])[]): Promise<{ ok: boolean }>
  waitFor<T>(
    predicate: (client: TurnStreamClient, event?: StreamEvent) => T,
    options?: { signal?: AbortSignal },
  ): Promise<NonNullable<T>>
  close(): void
}

const DEADLINE_MS = 30_000

export async function createTurnStreamClient(options: {
  url: string
  token: string
  sessionId: string
  onError?: (error: Error) => void
}) {
  const path = new URL('../../../../examples/clients/turn-stream.mjs', import.meta.url).href
  const { createTurnStream } = (await import(/* @vite-ignore */ path)) as {
    createTurnStream(given: typeof options): TurnStreamClient
  }
  const client = createTurnStream({ onError: () => {}, ...options })

  async function read(turn: AsyncGenerator<StreamEvent, void, void>): Promise<StreamEvent[]> {
    const events: StreamEvent[] = []
    for await (const event of turn) events.push(event)
    return events
  }

  return {
    client,
    /** Sends, and gives back everything that came when the turn is over. */
    send: (content: string) => read(client.sendMessage(content)),
    join: () => read(client.join()),
    /** What waits for a person, as soon as there is one that fits. */
    pending: (fits: (call: ToolCallState) => boolean = () => true): Promise<ToolCallState> =>
      client.waitFor(() => client.pendingInteractions.find(fits), { signal: AbortSignal.timeout(DEADLINE_MS) }),
    /** A tool call, once it is so. */
    call: (toolCallId: string, fits: (call: ToolCallState) => unknown): Promise<ToolCallState> =>
      client.waitFor(
        () => {
          const call = client.getToolCall(toolCallId)
          return call && fits(call) ? call : undefined
        },
        { signal: AbortSignal.timeout(DEADLINE_MS) },
      ),
  }
}
