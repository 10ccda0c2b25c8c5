import type { WorkerScope } from './worker-scope.ts'

/** A phone that was woken by a push may need a moment until its network is there. */
const PAUSES_MS = [1000, 4000]
const DEADLINE_MS = 10_000

export interface GatewayReply {
  readonly status: number
  readonly body: unknown
}

/**
 * Sends a token that came in a push. The worker has no login of its own: the token is all that the call has to show. Tried
 * three times; `undefined` where the gateway said nothing.
 */
export async function callGateway(
  scope: Pick<WorkerScope, 'fetch'>,
  path: string,
  body: { readonly token: string; readonly to: string },
  pause: (ms: number) => Promise<void> = wait,
): Promise<GatewayReply | undefined> {
  for (const ms of [0, ...PAUSES_MS]) {
    if (ms > 0) await pause(ms)
    const reply = await post(scope, path, body).catch(() => undefined)
    if (reply && reply.status < 500) return reply
  }
  return undefined
}

async function post(scope: Pick<WorkerScope, 'fetch'>, path: string, body: object): Promise<GatewayReply> {
  const response = await scope.fetch(path, {
    method: 'POST',
    headers: { 'x-holdpoint': '1', 'content-type': 'application/json' },
    // Nothing but the token says who calls.
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(DEADLINE_MS),
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json().catch(() => undefined) }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
