import type { Sent } from '@holdpoint/core/message-queue'
import type { Device } from '@holdpoint/schema/device'
import { type AttachmentId, type ItemId, SessionId } from '@holdpoint/schema/id'
import type { SendMessage, Session } from '@holdpoint/schema/session'
import { agentCommand, notYourCommand } from './agent-command.ts'
import { sees } from './auth/devices.ts'
import { may } from './auth/policy.ts'
import type { Context } from './context.ts'
import { type Refusal, refusal } from './http/errors.ts'
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

type SendResult = { ok: true; value: Sent } | { ok: false; reply: Refusal }

/** The way of a message to the agent's queue, whichever way it came to us. */
export async function queueMessage(
  context: Context,
  { device, sessionId, message, messageId }: QueuedMessage,
): Promise<SendResult> {
  const command = agentCommand(message.text)
  if (command !== undefined && !may(device, 'send-command'))
    return { ok: false, reply: refusal('forbidden', { message: notYourCommand(command) }) }
  const sent = await context.sessions.send(sessionId, message, { messageId })
  if (sent.ok) return sent
  return { ok: false, reply: refusal(sent.refusal, sent.message ? { detail: sent.message } : {}) }
}

interface QueuedMessage {
  readonly device: Device
  readonly sessionId: SessionId
  readonly message: SendMessage
  readonly messageId?: ItemId | undefined
}

/** The way of a message from an HTTP call to the agent's queue. Repeated under its key, it is sent once. */
export async function sendMessage(
  context: Context,
  call: Pick<Call<SendMessage, unknown>, 'device' | 'params' | 'request' | 'body'>,
): Promise<SendResult> {
  const { device, params, body } = call
  const refused = (reply: Refusal) => ({ ok: false as const, reply })
  const missing = await missingAttachment(context, device, body.attachments)
  if (missing) return refused(refusal('unknown_attachment', { attachment: missing }))
  const session = await findSession(context, device, params.id)
  if (!session) return refused(refusal('not_found'))
  await context.attachments.useIn(session.id, body.attachments)
  const messageId = repeatableIds(call)?.message
  return queueMessage(context, { device, sessionId: session.id, message: body, messageId })
}
