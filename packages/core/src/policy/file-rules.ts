import type { RuleId } from '@holdpoint/schema/id'
import { type PolicyRule, RuleScope } from '@holdpoint/schema/policy'
import type { WrittenRule } from '@holdpoint/schema/policy-file'
import { checkRule } from './check-rule.ts'

export interface FileRulesContext {
  readonly home: string
  /** When the file was written. */
  readonly at: number
  /** The same text gives the same id. */
  readonly idOf: (text: string) => RuleId
  /** Where a row begins in its file. */
  readonly lineOf?: (row: WrittenRule) => number | undefined
  /** The folder that every rule holds in. Without it, each says it itself. */
  readonly folder?: string
  /** Where a folder really is, links followed. */
  readonly realFolder: (path: string) => string
}

export type FileRules =
  | { readonly rules: readonly PolicyRule[] }
  /** What is wrong with the first that cannot be used, in one plain sentence that begins with its number; and `why` alone. */
  | { readonly error: string; readonly why: string }

/** The rules of a policy file, all of them or none. */
export function rulesOfFile(rows: readonly WrittenRule[], context: FileRulesContext): FileRules {
  const byId = new Map<string, PolicyRule>()
  for (const [index, row] of rows.entries()) {
    const line = context.lineOf?.(row)
    const name = `Rule ${index + 1} (${row.effect} ${row.pattern})${line === undefined ? '' : ` in line ${line}`}`
    const wrong = (why: string) => ({ error: `${name}: ${why}`, why })
    const scope = scopeOf(row, context)
    if (!scope) return wrong('its project must be an absolute path or begin with ~/, without . and .. as parts.')
    if (context.folder !== undefined && row.project !== undefined)
      return wrong('the rules of a repository always hold in its own folder. Leave out "project".')
    const { effect, pattern, agent, match, notMatch, pins, why } = row
    const until = row.until === undefined ? undefined : Date.parse(row.until)
    const meaning = { effect, agent, pattern, scope, ...(until !== undefined && { until }), ...(pins && { pins }) }
    const rule: PolicyRule = {
      ...meaning,
      ...(match && { match }),
      ...(notMatch && { notMatch }),
      ...(why !== undefined && { why }),
      id: context.idOf(JSON.stringify(meaning)),
      at: context.at,
      revision: 0,
    }
    const refused = checkRule(rule)
    if (refused !== undefined) return wrong(refused)
    byId.set(rule.id, rule)
  }
  return { rules: [...byId.values()] }
}

function scopeOf({ project }: WrittenRule, { home, folder, realFolder }: FileRulesContext): RuleScope | undefined {
  if (folder !== undefined) return { kind: 'project', folder }
  if (project === undefined) return { kind: 'everywhere' }
  const path = project === '~' || project.startsWith('~/') ? `${home}${project.slice(1)}` : project
  const scope = RuleScope.safeParse({ kind: 'project', folder: path })
  return scope.success ? { kind: 'project', folder: realFolder(path) } : undefined
}

/** A rule as a file has it. Those of one session belong to no file. */
export function fileRuleOf({
  id: _id,
  by: _by,
  at: _at,
  revision: _revision,
  ...rule
}: PolicyRule): WrittenRule | undefined {
  const { scope, until, ...rest } = rule
  if (scope.kind === 'session') return undefined
  return {
    ...rest,
    ...(scope.kind === 'project' && { project: scope.folder }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  }
}
