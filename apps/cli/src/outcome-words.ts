import type { Outcome } from '@holdpoint/schema/outcome'
import { terminalJson, terminalText } from './terminal-text.ts'
import { ageWords, timeWords } from './time-words.ts'

/** How an ask ended: who, when, from where, with what. One line. */
export function outcomeWords(outcome: Outcome, now: number): string {
  const { kind, at, by, via, rule, reason, answer } = outcome
  const who = by ? ` by "${terminalText(by.name)}" (${by.role})` : rule === undefined ? '' : ` by rule ${rule}`
  const { kind: choice, ...what } = answer ?? {}
  const parts = [
    `${kind}${who} through ${terminalText(via)}`,
    `at ${timeWords(at)} (${ageWords(now - at)} ago)`,
    ...(reason === undefined ? [] : [`reason: ${terminalText(reason)}`]),
    // Answered where the agent runs: the outcome's own kind does not say what was chosen there.
    ...(kind === 'withdrawn' && choice !== undefined ? [`chosen there: ${terminalText(String(choice))}`] : []),
    ...(Object.keys(what).length === 0 ? [] : [`with ${terminalJson(what)}`]),
  ]
  return parts.join(', ')
}
