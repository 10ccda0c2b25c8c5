import { raiserOf } from '@holdpoint/core/call-facts'
import { askerOf } from '@holdpoint/core/open-room'
import type { SessionView } from '@holdpoint/core/session-view'
import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import type { Change } from '../../stream/follow-sessions.ts'
import type { Refusal } from '../../transport/errors.ts'
import { asksForMore } from '../shared/asks-for-more.ts'
import { answersByWording, type ReadAnswer } from '../shared/text-answers.ts'
import type {
  AskUserQuestion,
  AskUserResponse,
  AskUserTimeout,
  ErrorMessage,
  ServerMessage,
  SessionStatus,
} from './messages.ts'

/** What a client gets when it connects. A session that ended so long ago that nobody holds a view of it has none. */
export function standing(sessionId: SessionId, view: SessionView | undefined): ServerMessage[] {
  const question = pendingQuestion(view)
  return [statusOf(sessionId, view), ...(question ? [askUserQuestion(question)] : [])]
}

/**
 * What a client gets when something has happened. The status comes after what is over and before what is new: a client
 * that takes a question off its screen because the status names another one keeps the right one.
 */
export function changes({ event, before, after }: Change, isOwn: boolean): ServerMessage[] {
  const { sessionId } = event
  const [was, is] = [pendingQuestion(before), pendingQuestion(after)]
  const [old, status] = [statusOf(sessionId, before), statusOf(sessionId, after)]
  const isOver = event.type === 'ask-settled' && event.askId === was?.id && !isOwn
  // The agent's turn is the next event: a session that starts is not idle in between.
  const isHandedOver = event.type === 'item-changed' && event.changes.status === 'sent'
  return [
    ...(isOver ? [askUserTimeout(was, event.outcome)] : []),
    ...(isHandedOver || JSON.stringify(status) === JSON.stringify(old) ? [] : [status]),
    ...(is && is.id !== was?.id ? [askUserQuestion(is)] : []),
  ]
}

/** What a client's response says to this ask, unless it cannot be an answer to it. */
export function answerOf({ answers, cancelled }: AskUserResponse['data'], ask: Pick<Ask, 'questions'>): ReadAnswer {
  if (cancelled) return { ok: true, answer: { kind: 'cancel', interrupt: true } }
  return answersByWording(ask, answers)
}

/** A refusal in this protocol's words. */
export function errorMessage({ body }: Refusal, questionId?: string): ErrorMessage {
  const { code, message, issues, outcome } = body.error
  return {
    type: 'error',
    error: questionId !== undefined && code === 'not_found' ? 'question_not_found' : code,
    message,
    ...(questionId !== undefined && { question_id: questionId }),
    ...(Array.isArray(issues) && { issues: issues.map(String) }),
    ...(outcome !== undefined && { outcome: outcomeOf(outcome as Outcome) }),
  }
}

function outcomeOf({ kind, at, via, by }: Outcome): ErrorMessage['outcome'] {
  return { kind, at: at / 1000, via, ...(by && { by: by.name }) }
}

export function sessionTaken(questionId: string): ErrorMessage {
  return {
    type: 'error',
    error: 'session_taken',
    message: 'A newer connection to this session exists. Only the newest one may respond.',
    question_id: questionId,
  }
}

function statusOf(sessionId: SessionId, view: SessionView | undefined): SessionStatus {
  const isWaiting = view !== undefined && view.asks.size > 0
  return {
    type: 'session_status',
    session_id: sessionId,
    is_processing: view !== undefined && !isWaiting && works(view.session),
    waiting_for_user: isWaiting,
    pending_question_id: pendingQuestion(view)?.id ?? null,
  }
}

/** An agent that is being started has nothing to do yet, unless a message waits for it already. */
function works({ state, queuedMessages }: Session): boolean {
  return state === 'assistant_turn' || (state === 'starting' && queuedMessages > 0)
}

/**
 * This protocol knows one pending question at a time: the agent's oldest. The next one follows when that is over. One of a
 * program waits until the agent has none.
 */
function pendingQuestion(view: SessionView | undefined): Ask | undefined {
  const shown = [...(view?.asks.values() ?? [])].filter(isShown)
  return shown.find((ask) => askerOf(ask) === 'agent') ?? shown[0]
}

/** Questions, unless an answer would let more run than they say. */
export function isShown(ask: Ask): boolean {
  return ask.kind === 'question' && !asksForMore(ask)
}

function askUserQuestion(ask: Ask): AskUserQuestion {
  const { id, questions = [], raisedAt, expiresAt } = ask
  const raiser = raiserOf(ask)
  return {
    type: 'ask_user_question',
    question_id: id,
    questions,
    ...(expiresAt !== undefined && { timeout_seconds: (expiresAt - raisedAt) / 1000 }),
    ...(raiser !== undefined && { raiser }),
  }
}

/** The one message that makes a client of this protocol take a question off its screen, whatever ended it. */
function askUserTimeout({ id }: Ask, outcome: Outcome): AskUserTimeout {
  return { type: 'ask_user_timeout', question_id: id, error: WHY[outcome.kind] }
}

const WHY: Record<Outcome['kind'], string> = {
  expired: 'User response timed out',
  denied: 'User cancelled the question',
  answered: 'The question was answered elsewhere',
  allowed: 'The question was answered elsewhere',
  withdrawn: 'The question was withdrawn',
}
