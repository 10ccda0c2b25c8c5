import type { Outcome, WithdrawReason } from '@holdpoint/schema/outcome'
import { answerDetails } from './answer-words.ts'
import { ATTACHED_AGENT, HOSTED_AGENT } from './terminal-agents.ts'
import { terminalText } from './terminal-text.ts'
import { ageWords, timeWords } from './time-words.ts'

const VIA: Readonly<Record<string, string>> = {
  web: ' in a browser',
  api: ' over the API',
  terminal: ' at a command line',
  push: ' from a notification',
  rule: '',
  gateway: '',
}

const WHY_WITHDRAWN: Readonly<Record<WithdrawReason, string>> = {
  'agent-cancelled': 'the agent took it back',
  interrupted: 'the agent was interrupted',
  'session-ended': 'the session ended',
  'answered-elsewhere': 'it was answered at the agent itself',
  orphaned: 'the agent that asked is gone',
  changed: 'what it showed has changed, so it was asked again',
}

export interface OutcomeContext {
  readonly now: number
  /** Whose ask it was, if that is known. */
  readonly agent?: string
}

/** How an ask ended: with what, who, from where, when. One line. */
export function outcomeWords(outcome: Outcome, { now, agent }: OutcomeContext): string {
  const { at, by } = outcome
  const role = by === undefined ? '' : ` (${by.role})`
  return `${sentence(outcome, { role, agent })}; at ${timeWords(at)} (${ageWords(now - at)} ago)`
}

/** The same for a line that has the time already, with long texts cut. */
export function briefOutcomeWords(outcome: Outcome, options: { agent: string | undefined; limit: number }): string {
  return sentence(outcome, { role: '', ...options })
}

function sentence(outcome: Outcome, options: { role: string; agent: string | undefined; limit?: number }): string {
  const { by, rule, via, answer = {} } = outcome
  const details = answerDetails(answer, options.limit)
  const what =
    details.length === 0
      ? whatHappened(outcome, options.agent)
      : `${whatHappened(outcome, options.agent)}: ${details.join(', ')}`
  const who = by ? ` by "${terminalText(by.name)}"${options.role}` : rule === undefined ? '' : ` by rule ${rule}`
  const where = outcome.kind === 'withdrawn' ? '' : (VIA[via] ?? ` over ${terminalText(via)}`)
  const decider = `${who}${where}`
  return details.length === 0 || decider === '' ? what + decider : `${what};${decider}`
}

function whatHappened(outcome: Outcome, agent: string | undefined): string {
  const { kind, via, reason, answer } = outcome
  const choice = String(answer?.kind ?? '')
  switch (kind) {
    case 'withdrawn': {
      // The one terminal that can withdraw: the agent's. A command line answers, and is named as such.
      if (via !== 'terminal') return `withdrawn: ${whyWithdrawn(reason, agent)}`
      const done: Readonly<Record<string, string>> = { allow: 'allowed', deny: 'denied', cancel: 'cancelled' }
      return `${done[choice] ?? 'answered'} at the agent's own terminal`
    }
    case 'denied':
      return choice === 'decline' ? 'declined' : choice === 'cancel' ? 'cancelled' : withReason('denied', reason)
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
  if (reason === undefined) return 'no reason is known'
  // Of a terminal, no more is known than that its hook does not wait for us any more.
  if (reason === 'agent-cancelled' && (agent === ATTACHED_AGENT || agent === HOSTED_AGENT))
    return 'it is not asked here any more, and may still be asked at its terminal'
  return WHY_WITHDRAWN[reason as WithdrawReason] ?? terminalText(reason)
}
