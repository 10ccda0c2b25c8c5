import type { PendingRequest, ProcessInfo } from '@holdpoint/server/dialects/process-state/messages'

/** What tests use of examples/clients/process-state.mjs, which was written from the process-state protocol alone. */
export interface ProcessStateClient {
  readonly processStates: Readonly<
    Record<string, Omit<ProcessInfo, 'pending_request'> & { pending_request: PendingRequest | null }>
  >
  readonly responding: ReadonlySet<string>
  readonly synced: boolean
  readonly waitingSessions: readonly string[]
  getPendingRequest(sessionId: string): PendingRequest | null
  getPendingRequests(sessionId: string): readonly PendingRequest[]
  respondToPendingRequest(sessionId: string, requestId: string, response: Record<string, unknown>): void
  approve(sessionId: string, request: PendingRequest, options?: { updatedInput?: object }): Promise<void>
  deny(sessionId: string, request: PendingRequest, options?: { message?: string }): Promise<void>
  answer(sessionId: string, request: PendingRequest, answers: Record<string, string | string[]>): Promise<void>
  waitFor<T>(predicate: () => T, options?: { signal?: AbortSignal }): Promise<NonNullable<T>>
  close(): void
}

const DEADLINE_MS = 30_000

export async function connectProcessState(options: { url: string; token: string; onError?: (error: Error) => void }) {
  const path = new URL('../../../../examples/clients/process-state.mjs', import.meta.url).href
  const { connectProcessState: connect } = (await import(/* @vite-ignore */ path)) as {
    connectProcessState(given: typeof options): ProcessStateClient
  }
  const client = connect(options)
  const signal = () => AbortSignal.timeout(DEADLINE_MS)
  await client.waitFor(() => client.synced, { signal: signal() })
  return {
    client,
    /** The request that a session waits for, as soon as there is one that fits. */
    request: (sessionId: string, fits: (request: PendingRequest) => boolean = () => true): Promise<PendingRequest> =>
      client.waitFor(() => client.getPendingRequests(sessionId).find(fits), { signal: signal() }),
    /** Waits for a session to be in a state, and gives back what is known of it. */
    state: (sessionId: string, state: ProcessInfo['state']) =>
      client.waitFor(() => client.processStates[sessionId]?.state === state && client.processStates[sessionId], {
        signal: signal(),
      }),
    /** Waits until nothing is asked in a session. */
    cleared: (sessionId: string) =>
      client.waitFor(() => client.getPendingRequest(sessionId) === null, { signal: signal() }),
  }
}
