import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { mapped } from './calls.ts'
import type { Result } from './gateway-client.ts'
import type { Retrying } from './retrying.ts'

/** Shorter than for other calls: a second try does no harm, and somebody is waiting. */
const DEADLINE_MS = 10_000

/** Sends an answer until the gateway says what it recorded. */
export async function answerAsk(
  retrying: Retrying,
  ask: Ask,
  answer: Answer,
  { signal, attempts }: { readonly signal?: AbortSignal; readonly attempts?: number } = {},
): Promise<Result<Outcome>> {
  const result = await retrying.call<{ outcome?: Outcome }>(
    {
      method: 'POST',
      path: `/api/asks/${ask.id}/answer`,
      body: { ...answer, digest: ask.digest },
      ...(signal && { signal }),
    },
    {
      deadlineMs: DEADLINE_MS,
      isComplete: (value) => value?.outcome !== undefined,
      ...(attempts !== undefined && { attempts }),
    },
  )
  return mapped(result, ({ outcome }) => outcome as Outcome)
}
