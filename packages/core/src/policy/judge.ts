import type { PartVerdict, PolicyRule, Verdict } from '@holdpoint/schema/policy'
import { type CallParts, callParts } from './call-parts.ts'
import { type CountedRules, countedRules, firstCommandRule } from './counted-rules.ts'
import { allowing, candidatesFor, concerning, isInner, type Subject } from './fits.ts'
import { guardedBy, guardedInCommand, isKnownToRead } from './guarded.ts'
import { inCode } from './in-code.ts'
import { pathsOfCommand, pathsOfRedirect } from './places.ts'
import type { PolicyCall, PolicyFacts } from './policy-call.ts'
import type { ShellParts } from './shell-parts.ts'

/**
 * What the rules decide about a call: deny if a rule denies any part, else ask if a rule asks about any part, else allow if
 * every part is allowed and the syntax is known. Else `none`: no rule decides. Every input has a verdict.
 */
export function judge(
  rules: readonly PolicyRule[],
  call: PolicyCall,
  facts: PolicyFacts,
  /** The call, where it was split before. */
  parts: CallParts = callParts(call),
): Verdict {
  return judgeParts(countedRules(rules, call, facts.now), call, parts, facts)
}

/** The same by rules that were already selected. */
export function judgeParts(
  counted: CountedRules,
  call: PolicyCall,
  { read, subjects }: CallParts,
  facts: PolicyFacts,
): Verdict {
  const parts = partVerdicts(counted, subjects, call, facts)
  const first = (effect: PartVerdict['effect']) => parts.find((part) => part.effect === effect)

  const denied = first('deny')
  if (denied) return { ...wholeOf(denied), parts }
  const guarded = guardedIn(subjects, read, call, facts)
  if (guarded !== undefined) {
    const reason = `It may change \`${guarded}\`, which is guarded: no rule can allow that.`
    return { effect: 'ask', reason, parts }
  }
  const asked = first('ask')
  if (asked) return { ...wholeOf(asked), parts }
  if (counted.broken) {
    const { pattern } = counted.broken
    return { effect: 'ask', reason: `The rule ${inCode(pattern)} cannot be read.`, ...by(counted.broken), parts }
  }
  // A limit never turns a deny into nothing (T20).
  const missed = read?.isUnread ? (firstCommandRule(counted.deny) ?? firstCommandRule(counted.ask)) : undefined
  if (missed) {
    const unread = read?.unknown ?? 'The command cannot be read.'
    return { effect: 'ask', reason: `${unread} It may match the rule ${inCode(missed.pattern)}.`, ...by(missed), parts }
  }
  if (read?.unknown !== undefined) return { effect: 'none', reason: read.unknown, parts }
  if (call.besides !== undefined) return { effect: 'none', reason: call.besides, parts }
  const open = first('none')
  if (open || parts.length === 0)
    return { effect: 'none', reason: open?.reason ?? 'There is nothing in it that a rule could match.', parts }
  const [only, ...others] = parts
  if (only && others.length === 0) return { ...wholeOf(only), parts }
  return { effect: 'allow', reason: 'Rules allow every part of it.', parts }
}

/** Whether any of these rules may decide about any part of a call. If not, the verdict is the same without them. */
export function concernsAny(
  { allow, ask, deny, broken }: CountedRules,
  call: PolicyCall,
  { read, subjects }: CallParts,
  facts: PolicyFacts,
): boolean {
  if (broken || (read?.isUnread && (firstCommandRule(deny) ?? firstCommandRule(ask)))) return true
  return subjects.some(
    (subject) =>
      concerning(deny, subject, call, facts) !== undefined ||
      concerning(ask, subject, call, facts) !== undefined ||
      (!isInner(subject) && candidatesFor(allow, subject, call, facts).length > 0),
  )
}

/** Every path that a call may use, absolute: the caller has to resolve the links of each. */
export function pathsOf(call: Pick<PolicyCall, 'action' | 'cwd' | 'tool' | 'home'>): readonly string[] {
  return pathsOfParts(callParts(call))
}

export function pathsOfParts({ subjects }: Pick<CallParts, 'subjects'>): readonly string[] {
  const paths = new Set<string>()
  for (const subject of subjects) {
    if (subject.type === 'command') for (const path of pathsOfCommand(subject)) paths.add(path)
    else if (subject.type === 'path') for (const path of pathsOfRedirect(subject)) paths.add(path)
  }
  return [...paths]
}

function wholeOf({ part: _, ...verdict }: PartVerdict): Omit<Verdict, 'parts'> {
  return verdict
}

/** The rule that asks or denies, and why. */
function by({ id, why }: PolicyRule): Pick<PartVerdict, 'rule' | 'why'> {
  return { rule: id, ...(why !== undefined && { why }) }
}

/** The verdict of each part. Inner commands count only where a rule asks or denies: an allow never depends on them. */
function partVerdicts(
  counted: CountedRules,
  subjects: readonly Subject[],
  call: PolicyCall,
  facts: PolicyFacts,
): PartVerdict[] {
  const changing = new Set(subjects.filter(mayChange))
  const firstMoving = subjects.findIndex((subject) => subject.type === 'command' && changing.has(subject))
  return subjects.flatMap((subject, at): PartVerdict[] => {
    const part = subject.text
    const stricter = stricterVerdict(counted, subject, call, facts)
    if (stricter) return [{ part, ...stricter }]
    if (isInner(subject)) return []
    const elsewhere = {
      changesElse: changing.size > (changing.has(subject) ? 1 : 0),
      movesElse: firstMoving >= 0 && firstMoving < at,
    }
    const allowance = allowing(counted.allow, subject, call, facts, elsewhere)
    if ('why' in allowance) return [{ part, effect: 'none', reason: allowance.why }]
    const { id, pattern } = allowance.rule
    return [{ part, effect: 'allow', reason: `${inCode(pattern)} allows it.`, rule: id }]
  })
}

function stricterVerdict(
  { deny, ask }: CountedRules,
  subject: Subject,
  call: PolicyCall,
  facts: PolicyFacts,
): Omit<PartVerdict, 'part'> | undefined {
  const denied = concerning(deny, subject, call, facts)
  if (denied && !denied.isUnsure) {
    const { pattern } = denied.rule
    return { effect: 'deny', reason: `${inCode(pattern)} denies ${inCode(subject.text)}.`, ...by(denied.rule) }
  }
  const asked = concerning(ask, subject, call, facts)
  if (asked && !asked.isUnsure) {
    const { pattern } = asked.rule
    return { effect: 'ask', reason: `${inCode(pattern)} asks about ${inCode(subject.text)}.`, ...by(asked.rule) }
  }
  const perhaps = denied ?? asked
  if (!perhaps) return undefined
  const { pattern } = perhaps.rule
  return {
    effect: 'ask',
    reason: `${inCode(subject.text)} may match the rule ${inCode(pattern)}.`,
    ...by(perhaps.rule),
  }
}

function mayChange(subject: Subject): boolean {
  if (isInner(subject)) return false
  if (subject.type === 'command') return !isKnownToRead(subject)
  return subject.type !== 'path' || subject.use === 'write'
}

function guardedIn(
  [subject]: readonly Subject[],
  read: ShellParts | undefined,
  call: PolicyCall,
  facts: PolicyFacts,
): string | undefined {
  const { action } = call
  if (action.type === 'command') return read && guardedInCommand(read, action.command, call, facts)
  const isWritten = subject?.type === 'path' && subject.use === 'write' && subject.path !== undefined
  return isWritten ? guardedBy(subject.path, facts) : undefined
}
