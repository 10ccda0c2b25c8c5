import { homedir } from 'node:os'
import { sep } from 'node:path'
import type { PolicyRule, RuleScope } from '@holdpoint/schema/policy'
import { shortId } from './abbreviation.ts'
import { terminalText } from './console/terminal-text.ts'
import { timeWords } from './console/time-words.ts'

/** Where a rule holds, short. */
export function scopeWords(scope: RuleScope): string {
  if (scope.kind === 'everywhere') return 'everywhere'
  if (scope.kind === 'session') return `session ${shortId(scope.sessionId)}`
  const home = homedir()
  const isBelow = scope.folder === home || scope.folder.startsWith(home + sep)
  return terminalText(isBelow ? `~${scope.folder.slice(home.length)}` : scope.folder)
}

/** One line about a rule. */
export function ruleWords({
  effect,
  pattern,
  agent,
  scope,
  until,
}: Omit<PolicyRule, 'id' | 'at' | 'revision'>): string {
  const who = agent === '*' ? '' : `, for ${terminalText(agent)} only`
  const end = until === undefined ? '' : `, until ${timeWords(until)}`
  return `${effect} ${terminalText(pattern)}, ${scope.kind === 'project' ? 'in ' : ''}${scopeWords(scope)}${who}${end}`
}
