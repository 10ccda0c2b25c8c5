import { noAnswerWord } from '@holdpoint/core/no-answer-word'
import { viaWords } from '@holdpoint/core/via-words'
import { withdrawnWords } from '@holdpoint/core/withdrawn-words'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { answerDetails } from './answer-words.ts'
import { terminalText } from './console/terminal-text.ts'
import { ageWords, timeWords } from './console/time-words.ts'

export interface OutcomeContext {
  readonly now: number
  /** Whose ask of which kind it was, if that is known. */
  readonly ask: AskOf | undefined
}

type AskOf = Pick<Ask, 'kind' | 'agent'>

/** How an ask ended: with what, who, from where, when. One line. */
export function outcomeWords(outcome: Outcome, { now, ask }: OutcomeContext): string {
  const { at, by } = outcome
  const role = by === undefined ? '' : ` (${by.role})`
  return `${sentence(outcome, { role, ask })}; at ${timeWords(at)} (${ageWords(now - at)} ago)`
}

/** The same for a line that has the time already, with long texts cut. */
export function briefOutcomeWords(outcome: Outcome, options: { ask: AskOf | undefined; limit: number }): string {
  return sentence(outcome, { role: '', ...options })
}

function sentence(outcome: Outcome, options: { role: string; ask: AskOf | undefined; limit?: number }): string {
  const { by, via, answer = {} } = outcome
  const details = answerDetails(answer, options.limit)
  const what =
    details.length === 0
      ? whatHappened(outcome, options.ask)
      : `${whatHappened(outcome, options.ask)}: ${details.join(', ')}`
  const who = by ? ` by "${terminalText(by.name)}"${options.role}` : byRules(outcome)
  const where = outcome.kind === 'withdrawn' ? '' : terminalText(viaWords(via))
  const decider = where === '' ? who : `${who} ${where}`
  return details.length === 0 || decider === '' ? what + decider : `${what};${decider}`
}

/** Which rules decided. Never read as a person's word. */
function byRules({ via, rule, rules = [] }: Outcome): string {
  const all = rule === undefined ? rules : [rule, ...rules]
  if (all.length === 0) return via === 'rule' ? ' by a rule' : ''
  return ` by ${all.length === 1 ? 'rule' : 'rules'} ${all.join(', ')}`
}

function whatHappened(outcome: Outcome, ask: AskOf | undefined): string {
  const { kind, via, reason, answer } = outcome
  const choice = String(answer?.kind ?? '')
  switch (kind) {
    case 'withdrawn': {
      // The one terminal that can withdraw: the agent's. A command line answers, and is named as such.
      if (via !== 'terminal') return `withdrawn: ${whyWithdrawn(reason, ask?.agent)}`
      const done: Readonly<Record<string, string>> = { allow: 'allowed', deny: 'denied' }
      return `${done[choice] ?? noAnswerWord(ask?.kind, choice) ?? 'answered'} at the agent's own terminal`
    }
    case 'denied':
      return noAnswerWord(ask?.kind, choice) ?? withReason('denied', reason)
    case 'expired':
      return withReason('expired, nobody answered in time', reason)
    case 'allowed':
    case 'answered':
      return withReason(kind, reason)
    default:
      return kind satisfies never
  }
}

function withReason(what: string, reason: string | undefined): string {
  return reason === undefined ? what : `${what} (${terminalText(reason)})`
}

function whyWithdrawn(reason: string | undefined, agent: string | undefined): string {
  if (reason === undefined) return 'the reason is unknown'
  return withdrawnWords(reason, agent) ?? terminalText(reason)
}
