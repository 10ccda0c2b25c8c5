import type { Effect, PolicyRule, RuleScope } from '@holdpoint/schema/policy'

/** What a rule does, and in which colour it is said. */
export const EFFECTS = {
  allow: { label: 'Allow', tone: 'allow', hint: 'Runs without asking' },
  ask: { label: 'Ask', tone: 'wait', hint: 'A person decides' },
  deny: { label: 'Deny', tone: 'deny', hint: 'Never runs' },
} as const satisfies Record<Effect, { label: string; tone: 'allow' | 'wait' | 'deny'; hint: string }>

/** The strictest first: so they are judged. */
const ORDER: readonly Effect[] = ['deny', 'ask', 'allow']

export function byEffect(one: Pick<PolicyRule, 'effect'>, other: Pick<PolicyRule, 'effect'>): number {
  return ORDER.indexOf(one.effect) - ORDER.indexOf(other.effect)
}

/** `until 18:00`, with the day where it is another one. */
export function untilWords(until: number, now: number): string {
  const end = new Date(until)
  const time = end.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  if (until <= now) return 'ended'
  if (end.toDateString() === new Date(now).toDateString()) return `until ${time}`
  return `until ${end.toLocaleDateString([], { day: 'numeric', month: 'short' })}, ${time}`
}

export function scopeWords(scope: RuleScope): string {
  switch (scope.kind) {
    case 'everywhere':
      return 'everywhere'
    case 'project':
      return `in ${scope.folder}`
    case 'session':
      return 'in one session'
    default:
      return scope satisfies never
  }
}
