import type { Ledger } from '@holdpoint/core/ledger'
import type { Sent } from '@holdpoint/core/message-queue'
import type { Sessions } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import type { Device } from '@holdpoint/schema/device'
import type { AttachmentId, ItemId, SessionId } from '@holdpoint/schema/id'
import type { SendMessage } from '@holdpoint/schema/session'
import { may } from '../auth/policy.ts'
import { type Refusal, refusal } from '../transport/errors.ts'
import { repeatableIds } from '../transport/idempotency.ts'
import type { Call } from '../transport/route.ts'
import { agentCommand, notYourCommand } from './agent-command.ts'
import type { Attachments } from './attachments.ts'
import { findSession } from './find-session.ts'

interface SendingDeps {
  readonly ledger: Ledger
  readonly store: Store
  readonly sessions: Sessions
  readonly attachments: Attachments
}

/** By naming a file a credential would give it to a session that it sees: it must be able to read it now (T11). */
export async function missingAttachment(
  { attachments }: Pick<SendingDeps, 'attachments'>,
  device: Device,
  ids: readonly AttachmentId[] = [],
): Promise<AttachmentId | undefined> {
  for (const id of ids) if (!(await attachments.isFor(device, id))) return id
  return undefined
}

type SendResult = { ok: true; value: Sent } | { ok: false; reply: Refusal }

/** The way of a message to the agent's queue, whichever way it came to us. */
export async function queueMessage(
  { sessions }: Pick<SendingDeps, 'sessions'>,
  { device, sessionId, message, messageId }: QueuedMessage,
): Promise<SendResult> {
  const command = agentCommand(message.text)
  if (command !== undefined && !may(device, 'send-command'))
    return { ok: false, reply: refusal('forbidden', { message: notYourCommand(command) }) }
  const sent = await sessions.send(sessionId, message, { messageId })
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
  deps: SendingDeps,
  call: Pick<Call<SendMessage, unknown>, 'device' | 'params' | 'request' | 'body'>,
): Promise<SendResult> {
  const { device, params, body } = call
  const refused = (reply: Refusal) => ({ ok: false as const, reply })
  const missing = await missingAttachment(deps, device, body.attachments)
  if (missing) return refused(refusal('unknown_attachment', { attachment: missing }))
  const session = await findSession(deps, device, params.id)
  if (!session) return refused(refusal('not_found'))
  await deps.attachments.useIn(session.id, body.attachments)
  const messageId = repeatableIds(call)?.message
  return queueMessage(deps, { device, sessionId: session.id, message: body, messageId })
}
