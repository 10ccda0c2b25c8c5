import type { Outcome } from '@holdpoint/schema/outcome'
import { paths } from '@holdpoint/schema/paths'
import { callGateway, type GatewayReply } from './call-gateway.ts'
import { type NoticeData, show } from './show-push.ts'
import type { ShownNotification, WorkerScope } from './worker-scope.ts'

const UNREACHABLE = 'No word from Holdpoint. Open the card to see whether your answer counted.'

/** Sends the answer of a button, and shows in the same place what became of it. */
export async function answerNotice(
  scope: WorkerScope,
  { tag, title }: Pick<ShownNotification, 'tag' | 'title'>,
  { token, data }: { readonly token: string; readonly data: NoticeData },
): Promise<void> {
  const reply = await callGateway(scope, paths.notifications.answer.path, { token, to: data.to })
  await show(scope, answerWords(reply, data.to), {
    body: title,
    tag,
    data: { path: data.path, to: data.to } satisfies NoticeData,
    silent: true,
  })
}

/** What became of an answer. `own`: the device that sent it. */
function answerWords(reply: GatewayReply | undefined, own: string): string {
  if (!reply) return UNREACHABLE
  const { outcome, error } = (reply.body ?? {}) as {
    readonly outcome?: Partial<Outcome>
    readonly error?: { readonly message?: unknown; readonly outcome?: Partial<Outcome> }
  }
  if (reply.status === 200 && outcome?.kind) return DONE[outcome.kind]
  const earlier = error?.outcome
  // The reply to a first try may have got lost.
  if (earlier?.kind) return earlier.by?.device === own ? DONE[earlier.kind] : earlierWords(earlier)
  const why = typeof error?.message === 'string' ? error.message : `The gateway said ${reply.status}.`
  return `Not answered. ${why}`
}

const DONE: Readonly<Record<Outcome['kind'], string>> = {
  allowed: 'Allowed',
  denied: 'Denied',
  answered: 'Answered',
  expired: 'Too late: it has expired',
  withdrawn: 'Too late: it was withdrawn',
}

function earlierWords({ kind, by }: Partial<Outcome>): string {
  if (kind === 'expired' || kind === 'withdrawn') return DONE[kind]
  return by ? `Answered already on ${by.name}` : 'Answered already'
}
