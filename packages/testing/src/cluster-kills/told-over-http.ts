import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { ApiReply } from '../api-client.ts'
import type { Told } from '../histories/history.ts'

/** So long a caller waits for a reply. What it asked for may be done later. */
const PATIENCE_MS = 1_000

/** Nobody here sends what is never taken: every call would be refused, and nothing tried. */
const BUGS: ReadonlySet<string> = new Set(['bad_request', 'invalid_request', 'forbidden', 'method_not_allowed'])

interface Refused {
  readonly error?: { readonly code: string; readonly outcome?: Outcome; readonly recorded?: 'no' | 'unknown' }
}

/** What a caller over HTTP is told; `resultOf` reads what it wanted. A bug is nothing of this. */
export async function toldOverHttp<Result>(
  calling: Promise<ApiReply>,
  resultOf: (body: unknown) => Result,
): Promise<Told<Result>> {
  const reply = await withPatience(calling)
  if (!reply) return { told: 'unknown' }
  if (reply.status < 300) return { told: 'done', result: resultOf(reply.body) }
  const { error } = reply.body as Refused
  // Nothing was changed, says this one.
  if (error?.recorded === 'no' || error?.code === 'machine_unreachable' || error?.code === 'closing')
    return { told: 'nothing' }
  if (error?.recorded === 'unknown') return { told: 'unknown' }
  if (reply.status >= 500 || !error || BUGS.has(error.code))
    throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
  return { told: 'refused', ...(error.outcome && { outcome: error.outcome }) }
}

/** Undefined where there is no reply in time. */
export function withPatience(calling: Promise<ApiReply>): Promise<ApiReply | undefined> {
  return Promise.race([calling.catch(() => undefined), sleep(PATIENCE_MS, undefined, { ref: false })])
}
