import type { AnswerResult, Broker } from '@holdpoint/core/broker'
import type { Answer, RememberRequest } from '@holdpoint/schema/answer'
import type { Device } from '@holdpoint/schema/device'
import { AskId } from '@holdpoint/schema/id'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { actorOf, type Devices, sees } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import { hashSecret } from '../auth/secrets.ts'
import { publicOutcome } from '../stream/public-outcome.ts'
import { type Reply, refusal } from '../transport/errors.ts'

/** Modes that anybody who may answer can let a plan go on in. */
const HARMLESS_MODES = new Set<PermissionMode>(['default', 'acceptEdits', 'plan'])

interface AnsweringDeps {
  readonly broker: Broker
  readonly devices: Devices
}

/** The one way an answer gets in, whatever it came by: HTTP, a batch, a WebSocket, a dialect. */
export async function answerAsk(
  { broker, devices }: AnsweringDeps,
  call: { device: Device; id: string; answer: Answer; via: string; bound?: 'digest' | 'id'; idempotencyKey?: string },
): Promise<Reply> {
  const askId = AskId.safeParse(call.id)
  if (!askId.success) return refusal('not_found')
  const mode = call.answer.kind === 'allow' ? call.answer.permissionMode : undefined
  // A plan's answer sets the mode, and setting it otherwise takes an owner.
  if (mode !== undefined && !HARMLESS_MODES.has(mode) && !may(call.device, 'configure-session'))
    return refusal('forbidden')
  const remember = call.answer.kind === 'allow' ? call.answer.remember : undefined
  if (remember && !mayRemember(call.device, remember)) return refusal('forbidden')
  const result = await broker.answer({
    askId: askId.data,
    answer: call.answer,
    actor: actorOf(call.device),
    via: call.via,
    ...(call.bound && { bound: call.bound }),
    ...(call.idempotencyKey !== undefined && { retryKey: retryKeyOf(call.device, call.idempotencyKey) }),
    mayAnswer: (sessionId) => {
      const device = devices.current(call.device.id)
      if (!device || !sees(device, sessionId)) return 'hidden'
      return may(device, 'answer-ask') ? 'yes' : 'no'
    },
  })
  return replyTo(result)
}

/** Only an owner makes rules of the policy, also for a session. Others have exactly this call remembered (T10). */
function mayRemember(device: Device, { scope, rule }: RememberRequest): boolean {
  return (scope === 'session' && rule === undefined) || may(device, 'change-policy')
}

/** What an outcome's `retryKey` is when it was this credential's answer under this key. */
export function retryKeyOf(device: Device, idempotencyKey: string): string {
  return hashSecret(`${device.id}\n${idempotencyKey}`)
}

function replyTo(result: AnswerResult): Reply {
  if (result.ok) return { status: 200, body: { outcome: publicOutcome(result.outcome) } }
  const why = result.refusal
  switch (why.code) {
    case 'already_settled':
      return refusal(why.code, { outcome: publicOutcome(why.outcome) })
    case 'invalid_answer':
      return refusal(why.code, { issues: why.issues })
    case 'changed':
      return refusal(why.code, { message: why.message })
    default:
      return refusal(why.code)
  }
}
