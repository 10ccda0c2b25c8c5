import { raiserOf } from '@holdpoint/core/call-facts'
import { planField, planInput } from '@holdpoint/core/plan-input'
import type { SessionView } from '@holdpoint/core/session-view'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, ToolInput } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import { canonicalJson } from '@holdpoint/schema/json'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Refusal } from '../../transport/errors.ts'
import { asksWithin } from '../shared/asks-within.ts'
import { answersByWording, type ReadAnswer } from '../shared/text-answers.ts'
import type {
  ActiveProcesses,
  ErrorMessage,
  PendingRequest,
  PendingRequestResponse,
  ProcessInfo,
  ProcessState,
} from './messages.ts'

/** The last known size of a session's processes. */
export type Memory = (id: SessionId) => number | undefined

export function activeProcesses(views: readonly SessionView[], memory: Memory): ActiveProcesses {
  const alive = views.filter(({ session }) => session.state !== 'dead')
  return { type: 'active_processes', processes: alive.map((view) => processInfo(view, memory)) }
}

export function processState(view: SessionView, memory: Memory): ProcessState {
  return { type: 'process_state', ...processInfo(view, memory) }
}

/** Whether clients would see no difference. Decided without writing either of the two down: inputs are long. */
export function showsTheSame(before: SessionView, after: SessionView): boolean {
  const [one, other] = [before.session, after.session]
  if (one.state !== other.state || one.stateChangedAt !== other.stateChangedAt) return false
  if (one.endReason !== other.endReason || one.error?.message !== other.error?.message) return false
  if (before.asks === after.asks) return true
  const [shown, shownNow] = [pendingAsks(before), pendingAsks(after)]
  // An ask never changes: the same ids are the same asks.
  const isSame = shown.length === shownNow.length && shown.every((ask, index) => ask.id === shownNow[index]?.id)
  return isSame && isWaiting(before) === isWaiting(after)
}

function processInfo(view: SessionView, memory: Memory): ProcessInfo {
  const { session } = view
  const bytes = session.state === 'dead' ? undefined : memory(session.id)
  const [first, ...others] = pendingAsks(view).flatMap(pendingRequests)
  return {
    session_id: session.id,
    project_id: session.projectId,
    state: session.state,
    started_at: seconds(session.startedAt),
    state_changed_at: seconds(session.stateChangedAt),
    ...(bytes !== undefined && { memory: bytes }),
    ...(session.error && { error: session.error.message }),
    ...(session.endReason !== undefined && { kill_reason: session.endReason }),
    waiting_for_user: isWaiting(view),
    ...(first && { pending_request: first, pending_requests: [first, ...others] }),
  }
}

function isWaiting({ session, asks }: SessionView): boolean {
  return session.state !== 'dead' && asks.size > 0
}

/**
 * What the process-state protocol has a form for, the agent's first, oldest first: as many as fit into one message. All of
 * them are sent whenever one of them comes or goes. A dead process waits for nothing.
 */
function pendingAsks({ session, asks }: SessionView): Ask[] {
  if (session.state === 'dead') return []
  const pending = [...asks.values()].filter((ask) => shownOf(ask) !== undefined)
  return asksWithin(REQUESTS_LIMIT, pending, lengthOf)
}

/** The sessions whose requests fit into one message together, and those that have to follow it. */
export function withinOneMessage(views: readonly SessionView[]): { first: SessionView[]; rest: SessionView[] } {
  let length = 0
  const first: SessionView[] = []
  const rest: SessionView[] = []
  for (const view of views) {
    const own = pendingAsks(view).reduce((sum, ask) => sum + lengthOf(ask), 0)
    const fits = own === 0 || length + own <= REQUESTS_LIMIT
    if (fits) length += own
    ;(fits ? first : rest).push(view)
  }
  return { first, rest }
}

/** Characters. */
const REQUESTS_LIMIT = 4 * 1024 * 1024
const lengths = new WeakMap<Ask, number>()

/** Measured once: an ask never changes, and may be large. */
function lengthOf(ask: Ask): number {
  const known = lengths.get(ask) ?? JSON.stringify(shownOf(ask)?.tool_input ?? {}).length
  lengths.set(ask, known)
  return known
}

function pendingRequests(ask: Ask): PendingRequest[] {
  const shown = shownOf(ask)
  const raiser = raiserOf(ask)
  if (!shown) return []
  return [
    {
      request_id: ask.id,
      ...shown,
      created_at: seconds(ask.raisedAt),
      ...(raiser !== undefined && { raiser }),
      ...(ask.appeal && { refusal_reason: ask.appeal.reason }),
    },
  ]
}

/**
 * The tool's own input, and in it, whatever the tool is, what the person has to read. An ask that was raised over the API
 * may name no tool. Undefined where this protocol has no form for the ask: then it is neither shown nor answered here.
 */
function shownOf(ask: Ask): Pick<PendingRequest, 'request_type' | 'tool_name' | 'tool_input'> | undefined {
  const { kind, tool, title, questions } = ask
  switch (kind) {
    case 'approval':
      return {
        request_type: 'tool_approval',
        tool_name: tool?.name ?? 'Approval',
        tool_input: tool?.input ?? { title },
      }
    case 'plan':
      return {
        request_type: 'tool_approval',
        tool_name: tool?.name ?? 'ExitPlanMode',
        tool_input: planInput(ask),
      }
    case 'question':
      return {
        request_type: 'ask_user_question',
        tool_name: tool?.name ?? 'AskUserQuestion',
        tool_input: { ...tool?.input, questions },
      }
    case 'form':
      return undefined
    default:
      return kind satisfies never
  }
}

function seconds(milliseconds: number): number {
  return milliseconds / 1000
}

/** What a client's response says to this ask, unless it is a response to something else. */
export function answerOf(response: PendingRequestResponse, ask: Ask): ReadAnswer {
  const shown = shownOf(ask)
  if (!shown) return misfit(`this is a ${ask.kind}, which cannot be answered here`)
  if (response.request_type !== shown.request_type)
    return misfit(`request_type is ${shown.request_type} for this request`)
  if (response.request_type === 'ask_user_question') return answersByWording(ask, response.answers)
  if (response.decision === 'deny') {
    return read({ kind: 'deny', ...(response.message !== undefined && { message: response.message }) })
  }
  return ask.kind === 'plan' ? planAllow(response.updated_input, ask) : allow(response.updated_input, ask)
}

/** Clients send the original back with a plain yes: that is no edit, and nothing of it has to be kept. */
function allow(updatedInput: ToolInput | undefined, ask: Ask): ReadAnswer {
  return read({ kind: 'allow', ...(updatedInput && !isOriginal(updatedInput, ask) && { updatedInput }) })
}

/** Of a plan's input the text alone is the person's to change. */
function planAllow(updatedInput: ToolInput | undefined, ask: Ask): ReadAnswer {
  if (!updatedInput || isOriginal(updatedInput, ask)) return read({ kind: 'allow' })
  const field = planField(ask)
  const plan = updatedInput[field]
  const isEdit = typeof plan === 'string' && plan.length <= PLAN_LIMIT
  const isAllElseSame = isOriginal({ ...updatedInput, [field]: ask.plan?.text ?? '' }, ask)
  return isEdit && isAllElseSame
    ? read({ kind: 'allow', plan })
    : misfit(`updated_input: of a plan only the text in ${field} can be changed`)
}

/** As the native API has it. */
const PLAN_LIMIT = 1_000_000

function isOriginal(input: ToolInput, ask: Ask): boolean {
  const text = canonicalJson(input)
  return text === canonicalJson(shownOf(ask)?.tool_input) || text === canonicalJson(ask.tool?.input)
}

function read(answer: Answer): ReadAnswer {
  return { ok: true, answer }
}

function misfit(issue: string): ReadAnswer {
  return { ok: false, issues: [issue] }
}

/** A refusal in this protocol's words. */
export function errorMessage({ body }: Refusal, requestId?: string): ErrorMessage {
  const { code, message, issues, outcome } = body.error
  return {
    type: 'error',
    code: code === 'not_found' ? 'request_not_found' : code,
    message,
    ...(requestId !== undefined && { request_id: requestId }),
    ...(Array.isArray(issues) && { issues: issues.map(String) }),
    ...(outcome !== undefined && { outcome: outcomeOf(outcome as Outcome) }),
  }
}

function outcomeOf({ kind, at, via, by }: Outcome): ErrorMessage['outcome'] {
  return { kind, at: seconds(at), via, ...(by && { by: by.name }) }
}
