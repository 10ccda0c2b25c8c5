import type { Sent } from '@holdpoint/core/message-queue'
import type { Device } from '@holdpoint/schema/device'
import { type AttachmentId, SessionId } from '@holdpoint/schema/id'
import type { SendMessage, Session } from '@holdpoint/schema/session'
import { sees } from './auth/devices.ts'
import type { Context } from './context.ts'
import { type Reply, refusal } from './http/errors.ts'
import { repeatableIds } from './http/idempotency.ts'
import type { Call } from './http/route.ts'

/** The session that a path names, if it is one that this credential may see. */
export async function findSession(
  { ledger, store }: Context,
  device: Device,
  id: string | undefined,
): Promise<Session | undefined> {
  const parsed = SessionId.safeParse(id)
  if (!parsed.success || !sees(device, parsed.data)) return undefined
  return ledger.views().get(parsed.data)?.session ?? store.session(parsed.data)
}

/** By naming a file a credential would give it to a session that it sees: it must be able to read it now (T11). */
export async function missingAttachment(
  context: Context,
  device: Device,
  ids: readonly AttachmentId[] = [],
): Promise<AttachmentId | undefined> {
  for (const id of ids) if (!(await context.attachments.isFor(device, id))) return id
  return undefined
}

/** The way of a message from an HTTP call to the agent's queue. Repeated under its key, it is sent once. */
export async function sendMessage(
  context: Context,
  call: Pick<Call<SendMessage, unknown>, 'device' | 'params' | 'request' | 'body'>,
): Promise<{ ok: true; value: Sent } | { ok: false; reply: Reply }> {
  const { device, params, body } = call
  const refused = (reply: Reply) => ({ ok: false as const, reply })
  const missing = await missingAttachment(context, device, body.attachments)
  if (missing) return refused(refusal('unknown_attachment', { attachment: missing }))
  const session = await findSession(context, device, params.id)
  if (!session) return refused(refusal('not_found'))
  await context.attachments.useIn(session.id, body.attachments)
  const sent = await context.sessions.send(session.id, body, { messageId: repeatableIds(call)?.message })
  if (sent.ok) return sent
  return refused(refusal(sent.refusal, sent.message ? { detail: sent.message } : {}))
}
