import type { PermissionReply, PermissionRequest } from '@holdpoint/core/permission-request'
import type { PermissionEvent, PermissionReplied } from '@holdpoint/server/dialects/permission/messages'

/** What tests use of examples/clients/permission.mjs, which was written from the permission protocol alone. */
export interface PermissionClient {
  readonly pendingQueue: readonly PermissionRequest[]
  readonly currentRequest: PermissionRequest | null
  readonly connected: boolean
  readonly synced: boolean
  reply(reply: PermissionReply, message?: string): Promise<{ success: boolean; error?: string }>
  replyTo(id: string, reply: PermissionReply, message?: string): Promise<{ success: boolean; error?: string }>
  dismiss(): Promise<{ success: boolean; error?: string }>
  waitFor<T>(predicate: () => T, options?: { signal?: AbortSignal }): Promise<NonNullable<T>>
  close(): void
}

const DEADLINE_MS = 30_000

export async function connectPermissions(options: { url: string; token: string; sessionId?: string }) {
  const path = new URL('../../../../examples/clients/permission.mjs', import.meta.url).href
  const { connectPermissions: connect } = (await import(/* @vite-ignore */ path)) as {
    connectPermissions(
      given: typeof options & {
        onChange: (client: PermissionClient, event?: PermissionEvent) => void
        onError: (error: Error & { code?: string; status?: number }) => void
      },
    ): PermissionClient
  }
  const events: PermissionEvent[] = []
  const errors: (Error & { code?: string; status?: number })[] = []
  const client = connect({
    ...options,
    onChange: (_, event) => event && events.push(event),
    onError: (error) => errors.push(error),
  })
  const waitFor = <Value>(look: () => Value): Promise<NonNullable<Value>> =>
    client.waitFor(look, { signal: AbortSignal.timeout(DEADLINE_MS) })
  await waitFor(() => client.synced)

  return {
    client,
    /** Everything that the server sent on the stream, in order. */
    events,
    errors,
    waitFor,
    /** The first request in the queue that fits, as soon as it is there. */
    request: (fits: (request: PermissionRequest) => boolean = () => true) =>
      waitFor(() => client.pendingQueue.find(fits)),
    /** How a request ended, as soon as the stream has told. */
    replied: async ({ id }: { readonly id: string }): Promise<PermissionReplied['properties']> =>
      (await waitFor(() => events.filter(isReplied).find(({ properties }) => properties.requestId === id))).properties,
    /** Waits until nothing is in the queue. */
    empty: () => waitFor(() => client.pendingQueue.length === 0),
  }
}
export type ConnectedPermissions = Awaited<ReturnType<typeof connectPermissions>>

function isReplied(event: PermissionEvent): event is PermissionReplied {
  return event.type === 'permission.replied'
}
