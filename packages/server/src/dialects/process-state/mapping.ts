import { planField, planInput } from '@holdpoint/core/plan-input'
import type { SessionView } from '@holdpoint/core/session-view'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, ToolInput } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import { canonicalJson } from '@holdpoint/schema/json'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Refusal } from '../../http/errors.ts'
import { answersByWording, type ReadAnswer } from '../text-answers.ts'
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
  const [oldest, ...others] = pendingAsks(view).map(pendingRequest)
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
    ...(oldest && { pending_request: oldest, pending_requests: [oldest, ...others] }),
  }
}

function isWaiting({ session, asks }: SessionView): boolean {
  return session.state !== 'dead' && asks.size > 0
}

/**
 * What the document has a form for, oldest first: as many as fit into one message, and the oldest in any case. All of
 * them are sent whenever one of them comes or goes. A dead process waits for nothing.
 */
function pendingAsks({ session, asks }: SessionView): Ask[] {
  if (session.state === 'dead') return []
  const pending = [...asks.values()].filter(({ kind }) => kind !== 'form')
  let length = 0
  return pending.filter((ask, place) => {
    length += lengthOf(ask)
    return place === 0 || length <= REQUESTS_LIMIT
  })
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
  const known = lengths.get(ask) ?? JSON.stringify(shownInput(ask)).length
  lengths.set(ask, known)
  return known
}

function pendingRequest(ask: Ask): PendingRequest {
  return {
    request_id: ask.id,
    request_type: requestType(ask),
    tool_name: ask.tool?.name ?? UNNAMED[ask.kind],
    tool_input: shownInput(ask),
    created_at: seconds(ask.raisedAt),
  }
}

/** For asks that were raised over the API and name no tool. */
const UNNAMED: Record<Ask['kind'], string> = {
  approval: 'Approval',
  plan: 'ExitPlanMode',
  question: 'AskUserQuestion',
  form: 'Form',
}

function requestType({ kind }: Ask): PendingRequest['request_type'] {
  return kind === 'question' ? 'ask_user_question' : 'tool_approval'
}

/** The tool's own input, and in it, whatever the tool is, what the person has to read. */
function shownInput(ask: Ask): ToolInput {
  const { kind, tool, title, questions } = ask
  if (kind === 'question') return { ...tool?.input, questions }
  if (kind === 'plan') return planInput(ask)
  return tool?.input ?? { title }
}

function seconds(milliseconds: number): number {
  return milliseconds / 1000
}

/** What a client's response says to this ask, unless it is a response to something else. */
export function answerOf(response: PendingRequestResponse, ask: Ask): ReadAnswer {
  if (ask.kind === 'form') return misfit('this is a form, which cannot be answered here')
  if (response.request_type !== requestType(ask)) return misfit(`request_type is ${requestType(ask)} for this request`)
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
  return text === canonicalJson(shownInput(ask)) || text === canonicalJson(ask.tool?.input)
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
