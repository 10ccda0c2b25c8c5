import type { PolicyRule } from '@holdpoint/schema/policy'

export interface FileChange {
  /** Rules that hold at once: everything that does not allow more. */
  readonly now: readonly PolicyRule[]
  /** Rules of the file that would allow more. */
  readonly added: readonly PolicyRule[]
  /** Rules that ask or deny and were removed from the file: they stay in force. */
  readonly removed: readonly PolicyRule[]
}

/** What a policy file changes, compared with the rules that were in force before. */
export function fileChange(inForce: readonly PolicyRule[], file: readonly PolicyRule[]): FileChange {
  const before = byMeaning(inForce)
  const wanted = byMeaning(file)
  const added = file.filter(
    (rule) => rule.effect === 'allow' && !before(rule).some((known) => isNoWiderThan(rule, known)),
  )
  const removed = inForce.filter(
    (rule) => rule.effect !== 'allow' && !wanted(rule).some((other) => isAsStrictAs(other, rule)),
  )
  const waits = new Set(added)
  return { now: [...file.filter((rule) => !waits.has(rule)), ...removed], added, removed }
}

/** Of rules, those that are about the same calls as another one. */
function byMeaning(rules: readonly PolicyRule[]): (rule: PolicyRule) => readonly PolicyRule[] {
  const groups = new Map<string, PolicyRule[]>()
  const keyOf = ({ agent, pattern, scope }: PolicyRule) => JSON.stringify([agent, pattern, scope])
  for (const rule of rules) {
    const group = groups.get(keyOf(rule))
    if (group) group.push(rule)
    else groups.set(keyOf(rule), [rule])
  }
  return (rule) => groups.get(keyOf(rule)) ?? []
}

function isNoWiderThan(rule: PolicyRule, known: PolicyRule): boolean {
  const pins = new Set(rule.pins?.map(({ path, sha256 }) => `${sha256} ${path}`))
  return (
    known.effect === 'allow' &&
    endOf(rule) <= endOf(known) &&
    (known.pins ?? []).every(({ path, sha256 }) => pins.has(`${sha256} ${path}`))
  )
}

function isAsStrictAs(rule: PolicyRule, known: PolicyRule): boolean {
  return (rule.effect === 'deny' || rule.effect === known.effect) && endOf(rule) >= endOf(known)
}

function endOf({ until = Number.POSITIVE_INFINITY }: PolicyRule): number {
  return until
}
