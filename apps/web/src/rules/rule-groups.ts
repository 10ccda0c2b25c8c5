import type { PolicyRule } from '@holdpoint/schema/policy'
import type { ListedRule } from '@holdpoint/schema/rule'
import { byEffect } from './rule-words.ts'

/** A rule of the policy, or an answer that a session remembers. */
export type ShownRule =
  | { readonly kind: 'rule'; readonly id: string; readonly rule: PolicyRule }
  | { readonly kind: 'remembered'; readonly id: string; readonly rule: ListedRule }

export interface RuleGroup {
  readonly key: string
  readonly scope: 'everywhere' | 'project' | 'session'
  /** The folder, or the id of the session; empty for what holds everywhere. */
  readonly place: string
  readonly rules: readonly ShownRule[]
}

export interface Wanted {
  /**
   * Every one of these words has to be in a rule, as a word or as its beginning: `ls` is not in `also`. With a sign that
   * only the text of a rule has, all of it is looked for there as it is: `ls *` is not in `sudo *`.
   */
  readonly words: string
  /** Only these; all of them where it is empty. */
  readonly ids: ReadonlySet<string>
}

const RULE_SIGN = /[*()]/

const SCOPES = ['everywhere', 'project', 'session'] as const

/** What holds everywhere, then folder by folder, then session by session; the strictest first. */
export function ruleGroups(
  policy: readonly PolicyRule[],
  remembered: readonly ListedRule[],
  { words, ids }: Wanted,
  titleOf: (sessionId: string) => string | undefined,
): readonly RuleGroup[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const phrase = RULE_SIGN.test(words) ? wanted.join(' ') : undefined
  const groups = new Map<string, { scope: RuleGroup['scope']; place: string; rules: ShownRule[] }>()
  const all: ShownRule[] = [
    ...[...policy].sort(byEffect).map((rule) => ({ kind: 'rule' as const, id: rule.id, rule })),
    ...remembered.map((rule) => ({ kind: 'remembered' as const, id: rule.id, rule })),
  ]
  for (const shown of all) {
    const { scope, place } = placeOf(shown)
    const text = [textOf(shown), place, scope === 'session' ? titleOf(place) : ''].join('\n').toLowerCase()
    if (ids.size > 0 && !ids.has(shown.id)) continue
    const isFound =
      phrase === undefined
        ? wanted.every((word) => hasWord(text, word))
        : hasWord(patternOf(shown).toLowerCase().replace(/\s+/g, ' '), phrase)
    if (!isFound) continue
    const key = `${scope} ${place}`
    const group = groups.get(key) ?? { scope, place, rules: [] }
    group.rules.push(shown)
    groups.set(key, group)
  }
  return [...groups]
    .map(([key, group]) => ({ key, ...group }))
    .sort((one, other) => SCOPES.indexOf(one.scope) - SCOPES.indexOf(other.scope) || (one.place < other.place ? -1 : 1))
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!/[a-z0-9]/.test(word.charAt(0)) || !/[a-z0-9]/.test(text.charAt(at - 1))) return true
  }
  return false
}

function placeOf(shown: ShownRule): { scope: RuleGroup['scope']; place: string } {
  if (shown.kind === 'remembered') return { scope: 'session', place: shown.rule.sessionId }
  const { scope } = shown.rule
  if (scope.kind === 'session') return { scope: 'session', place: scope.sessionId }
  return scope.kind === 'project' ? { scope: 'project', place: scope.folder } : { scope: 'everywhere', place: '' }
}

function patternOf({ kind, rule }: ShownRule): string {
  return kind === 'remembered' ? rule.rule : rule.pattern
}

function textOf({ kind, rule }: ShownRule): string {
  if (kind === 'remembered') return `allow ${rule.rule} ${rule.by?.name ?? ''}`
  const { effect, pattern, why = '', agent, by, match = [] } = rule
  return [effect, pattern, why, agent, by?.name ?? '', ...match].join('\n')
}
