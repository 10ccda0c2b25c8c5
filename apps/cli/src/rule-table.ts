import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { shortId } from './abbreviation.ts'
import { shortenedAtStart, type Width } from './console/fence.ts'
import { tableLines } from './console/table.ts'
import { terminalText } from './console/terminal-text.ts'
import { timeWords } from './console/time-words.ts'
import { scopeWords } from './rule-words.ts'

const FOLDER_COLUMNS = 28

/** Rules, one line each, with where they come from. None if there are no rules. */
export function ruleTable(policy: PolicyState, options: { now: number } & Width): string[] {
  const listed = sources(policy)
  if (listed.length === 0) return []
  const ids = listed.map(({ rule }) => rule.id)
  const rows = listed.map(({ rule, source }) => [
    shortId(rule.id, ids),
    rule.effect,
    shortScope(rule, options),
    source,
    rule.agent === '*' ? 'all' : terminalText(rule.agent),
    untilWords(rule, options.now),
    terminalText(rule.pattern),
  ])
  return tableLines(['ID', 'EFFECT', 'SCOPE', 'SOURCE', 'AGENT', 'UNTIL', 'PATTERN'], rows, options)
}

function sources({ rules, file, otherFiles = [], repository }: PolicyState): { rule: PolicyRule; source: string }[] {
  const removed = new Set(file.waiting?.removed.map(({ id }) => id))
  return [
    ...rules.map((rule) => ({ rule, source: 'app' })),
    ...file.rules.map((rule) => ({ rule, source: removed.has(rule.id) ? 'removed' : 'file' })),
    ...(file.waiting?.added ?? []).map((rule) => ({ rule, source: 'waits' })),
    ...otherFiles.flatMap(({ machine, file: other }) =>
      other.rules.map((rule) => ({ rule, source: `file of ${terminalText(machine.name)}` })),
    ),
    ...(repository?.rules ?? []).map((rule) => ({ rule, source: 'repository' })),
  ]
}

function shortScope({ scope }: PolicyRule, { columns }: Width): string {
  const words = scopeWords(scope)
  return columns === undefined ? words : shortenedAtStart(words, FOLDER_COLUMNS)
}

function untilWords({ until }: PolicyRule, now: number): string {
  if (until === undefined) return '-'
  return until <= now ? 'over' : timeWords(until)
}
