import type { AnswerResult, Broker } from '@holdpoint/core/broker'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Answer, RememberRequest } from '@holdpoint/schema/answer'
import type { Device } from '@holdpoint/schema/device'
import { AskId, type NodeId } from '@holdpoint/schema/id'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { actorOf, type Devices, sees } from '../auth/devices.ts'
import { may } from '../auth/policy.ts'
import { hashSecret } from '../auth/secrets.ts'
import type { Machines } from '../cluster/machines.ts'
import { publicOutcome } from '../stream/public-outcome.ts'
import { isRefusal, type Reply, refusal } from '../transport/errors.ts'

/** Modes that anybody who may answer can let a plan go on in. */
const HARMLESS_MODES = new Set<PermissionMode>(['default', 'acceptEdits', 'plan'])

export interface AnsweringDeps {
  readonly broker: Broker
  readonly devices: Devices
  readonly ledger: Ledger
  readonly machines: Machines
}

export interface GivenAnswer {
  readonly device: Device
  readonly id: string
  readonly answer: Answer
  readonly via: string
  readonly bound?: 'digest' | 'id' | undefined
  readonly idempotencyKey?: string | undefined
}

const NEEDS_ITS_MACHINE =
  'The machine of this agent cannot be reached. It has to check that the files and the folder are still as shown, so the allow has to wait until it is back. You can deny now.'
/** Whether it was recorded is not known. */
export const LOST =
  'The machine of this agent was lost before it replied, so this may have been recorded or not. Try again in a moment: the reply then says what was recorded.'

/**
 * The one way an answer gets in, whatever it came by: HTTP, a batch, a WebSocket, a dialect. An allow that has to be looked
 * at once more where the agent runs is handed on to the gateway there.
 */
export async function answerAsk(deps: AnsweringDeps, call: GivenAnswer): Promise<Reply> {
  const reply = await answerHere(deps, call)
  const to =
    isRefusal(reply) && reply.body.error.code === 'machine_unreachable' ? machineOfAsk(deps, call.id) : undefined
  if (to === undefined) return reply
  const result = await deps.machines.call(to, { type: 'answer', ...call, device: call.device.id })
  if (result.ok) return result.reply as Reply
  return result.why === 'unknown' ? refusal('store_unavailable', { message: LOST, recorded: 'unknown' }) : reply
}

/** The other machine that the agent of an open ask is on; undefined if it is this one. */
export function machineOfAsk(
  { ledger, machines }: Pick<AnsweringDeps, 'ledger' | 'machines'>,
  id: string | undefined,
): NodeId | undefined {
  const view = [...ledger.views().values()].find(({ asks }) => asks.has(id as AskId))
  return machines.elsewhere(view?.session)
}

/** As far as this gateway can take it. */
export async function answerHere(
  { broker, devices }: Pick<AnsweringDeps, 'broker' | 'devices'>,
  call: GivenAnswer,
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
export function retryKeyOf(device: Pick<Device, 'id'>, idempotencyKey: string): string {
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
    case 'machine_unreachable':
      return refusal(why.code, { message: NEEDS_ITS_MACHINE })
    default:
      return refusal(why.code)
  }
}
