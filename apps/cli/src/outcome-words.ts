import type { Outcome } from '@holdpoint/schema/outcome'
import { ageWords, timeWords } from './time-words.ts'
import { visibleJson, visibleText } from './visible-text.ts'

/** How an ask ended: who, when, from where, with what. One line. */
export function outcomeWords(outcome: Outcome, now: number): string {
  const { kind, at, by, via, rule, reason, answer } = outcome
  const who = by ? ` by "${visibleText(by.name)}" (${by.role})` : rule === undefined ? '' : ` by rule ${rule}`
  const { kind: _, ...what } = answer ?? {}
  const parts = [
    `${kind}${who} through ${visibleText(via)}`,
    `at ${timeWords(at)} (${ageWords(now - at)} ago)`,
    ...(reason === undefined ? [] : [`reason: ${visibleText(reason)}`]),
    ...(Object.keys(what).length === 0 ? [] : [`with ${visibleJson(what)}`]),
  ]
  return parts.join(', ')
}
