import { callFactsOf, raiserOf } from '@holdpoint/core/call-facts'
import { planInput } from '@holdpoint/core/plan-input'
import type { SessionView } from '@holdpoint/core/session-view'
import type { Ask, Question } from '@holdpoint/schema/ask'
import type { SubmitAnswers } from '@holdpoint/schema/endpoints/turns'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import type { SessionStatusEvent, StreamEvent } from '@holdpoint/schema/turn-stream'
import type { Refusal } from '../../transport/errors.ts'
import { asksForMore } from '../shared/asks-for-more.ts'
import { type ReadAnswer, textAnswers } from '../shared/text-answers.ts'
import type { ErrorBody } from './messages.ts'

/**
 * Ids that others than the agent chose do not count: one could be made to look like the agent's. Nor does the call's id
 * for an ask that took the place of another: an answer to what was shown before must not count for it (I2).
 */
export function toolCallIdOf(ask: Ask): string {
  return (ask.raisedBy === undefined && ask.replaces === undefined && ask.toolUseId) || ask.id
}

/** How an ask is shown; undefined where this protocol has no form for it. */
export function interactionEvent(ask: Ask): StreamEvent | undefined {
  const toolCallId = toolCallIdOf(ask)
  const raiser = raiserOf(ask)
  const raised = raiser === undefined ? {} : { raiser }
  switch (ask.kind) {
    case 'question':
      // An answer lets the call run with all of its input, and of that there is no place for more than the questions.
      if (asksForMore(ask)) return undefined
      return {
        type: 'question_prompt',
        data: { toolCallId, questions: (ask.questions ?? []).map(questionItem), ...raised },
      }
    case 'approval':
    case 'plan': {
      const toolName = ask.tool?.name ?? (ask.kind === 'plan' ? 'ExitPlanMode' : ask.title)
      const input = ask.kind === 'plan' ? planInput(ask) : { ...ask.tool?.input }
      return {
        type: 'approval_required',
        data: { toolCallId, toolName, input: JSON.stringify(input), ...callFactsOf(ask) },
      }
    }
    case 'form': {
      const { form, tool } = ask
      if (!form) return undefined
      const input = JSON.stringify(tool?.input ?? {})
      return { type: 'form_prompt', data: { toolCallId, toolName: tool?.name ?? '', input, form, ...raised } }
    }
    default:
      return ask.kind satisfies never
  }
}

function questionItem({ header = '', question, options, multiSelect }: Question) {
  return {
    header,
    question,
    options: options.map(({ label, description }) => ({ label, ...(description !== undefined && { description }) })),
    multiSelect,
  }
}

export function settledEvent(ask: Ask, outcome: Outcome): StreamEvent | undefined {
  if (!interactionEvent(ask)) return undefined
  const said = outcome.via === 'rule' ? ruleWords(outcome) : (outcome.reason ?? outcome.answer?.message)
  return {
    type: 'interaction_settled',
    data: {
      toolCallId: toolCallIdOf(ask),
      outcome: outcome.kind,
      ...(typeof said === 'string' && said !== '' && { reason: said }),
    },
  }
}

/** A rule's word is never read as a person's. */
function ruleWords({ kind, reason }: Outcome): string {
  const what = `${kind === 'allowed' ? 'Allowed' : 'Denied'} by a rule, not by a person.`
  return reason === undefined ? what : `${what} ${reason}`
}

export function statusOf({ session, asks }: Pick<SessionView, 'session' | 'asks'>): SessionStatusEvent {
  return {
    sessionId: session.id,
    state: session.state !== 'dead' && asks.size > 0 ? 'waiting' : session.state,
    ...(session.model !== undefined && { model: session.model }),
  }
}

/** Why nothing more will come from this session. */
export function endedEvent({ error, endReason }: Session): StreamEvent {
  const why = endReason === undefined ? '' : ` (${endReason})`
  return { type: 'error', data: error ?? { message: `The session has ended${why}.`, code: 'session_ended' } }
}

/**
 * What the agent gets is keyed by the questions' wording; keyed by their place it would never arrive. A key that is the
 * place of one question and the wording of another could be either: then nothing is answered.
 */
export function answerOf(questions: readonly Question[], answers: SubmitAnswers['answers']): ReadAnswer {
  const issues: string[] = []
  const given = Object.entries(answers).flatMap(([key, value]) => {
    const [index, another] = meantBy(questions, key)
    const question = index === undefined ? undefined : questions[index]
    if (index === undefined || !question || another !== undefined) {
      issues.push(another === undefined ? NO_QUESTION : EITHER)
      return []
    }
    // Where one answer is taken, brackets are the person's own words.
    return textAnswers(questions, [{ question: index, value: (question.multiSelect && textsIn(value)) || value }])
  })
  return issues.length > 0 ? { ok: false, issues } : { ok: true, answer: { kind: 'answer', answers: given } }
}

const NO_QUESTION = 'there is a key that is neither the index nor the text of a question'
const EITHER =
  'there is a key that is the index of one question and the text of another: use another key, or answer in Holdpoint itself'

/** The questions that a key may mean. */
function meantBy(questions: readonly Question[], key: string): number[] {
  return questions.flatMap(({ question }, place) => (question === key || String(place) === key ? [place] : []))
}

/** The entries of a JSON array of texts, if this is one. */
function textsIn(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined
  } catch {
    return undefined
  }
}

/** A refusal as these routes word it; `texts` for codes that the turn-stream protocol has its own words for. */
export function errorBody({ body }: Refusal, texts: Partial<Record<ErrorCode, string>> = {}): ErrorBody {
  const { code, message, issues } = body.error
  return { error: texts[code] ?? message, code, ...(Array.isArray(issues) && { issues: issues.map(String) }) }
}
