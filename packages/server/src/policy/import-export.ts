import { fromClaudeCode, type NotMapped, toClaudeCode } from '@holdpoint/core/policy/claude-permissions'
import { fileRuleOf } from '@holdpoint/core/policy/file-rules'
import type { ImportBody, NewRule } from '@holdpoint/schema/endpoints/policy'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { fileRulesAt } from './read-policy-file.ts'

interface Imported {
  readonly added: NewRule[]
  readonly known: NewRule[]
  readonly notMapped: NotMapped[]
}

/** What an import would add to these rules. */
export function importedRules(given: ImportBody, rules: readonly PolicyRule[], now: number): Imported {
  const { found, notMapped } = given.format === 'claude-code' ? ofClaudeCode(given) : ofFile(given, now)
  const has = new Set(rules.map(meaningOf))
  return {
    added: found.filter((rule) => !has.has(meaningOf(rule))),
    known: found.filter((rule) => has.has(meaningOf(rule))),
    notMapped: [...notMapped],
  }
}

interface Found {
  readonly found: readonly NewRule[]
  readonly notMapped: readonly NotMapped[]
}

function ofClaudeCode({ settings, scope }: Extract<ImportBody, { format: 'claude-code' }>): Found {
  const { rules, notMapped } = fromClaudeCode(settings, scope)
  return { found: rules, notMapped }
}

function ofFile({ file }: Extract<ImportBody, { format: 'holdpoint' }>, now: number): Found {
  const found = new Map<string, NewRule>()
  const notMapped: NotMapped[] = []
  for (const row of file.rules) {
    const read = fileRulesAt([row], now)
    if ('error' in read) notMapped.push({ rule: `${row.effect} ${row.pattern}`, why: read.why })
    else for (const rule of read.rules) found.set(rule.id, newRuleOf(rule))
  }
  return { found: [...found.values()], notMapped }
}

function newRuleOf({ id: _id, by: _by, at: _at, revision: _revision, ...rule }: PolicyRule): NewRule {
  return rule
}

function meaningOf({ effect, agent, pattern, scope, until, pins }: NewRule): string {
  return JSON.stringify([effect, agent, pattern, scope, until, pins])
}

/** The rules as a policy file has them. */
export function exportedFile(rules: readonly PolicyRule[]): {
  content: Record<string, unknown>
  notMapped: NotMapped[]
} {
  const rows = rules.map((rule) => ({ rule, row: fileRuleOf(rule) }))
  return {
    content: { rules: rows.flatMap(({ row }) => row ?? []) },
    notMapped: rows
      .filter(({ row }) => row === undefined)
      .map(({ rule: { effect, pattern } }) => ({ rule: `${effect} ${pattern}`, why: 'It is for one session.' })),
  }
}

/** The rules as Claude Code's settings have them. */
export function exportedPermissions(
  rules: readonly PolicyRule[],
  options: { folder: string | undefined; now: number },
): { content: Record<string, unknown>; notMapped: NotMapped[] } {
  const { permissions, notMapped } = toClaudeCode(rules, options)
  return { content: { permissions }, notMapped: [...notMapped] }
}
