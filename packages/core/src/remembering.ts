import type { Ask } from '@holdpoint/schema/ask'
import type { RuleId } from '@holdpoint/schema/id'
import type { Actor } from '@holdpoint/schema/outcome'
import type { Rule } from '@holdpoint/schema/rule'

/** The rule that a person makes by allowing and remembering this ask, or why there can be none. */
export function ruleFor(ask: Ask, made: { id: RuleId; by: Actor; at: number }): Rule | { why: string } {
  const why = whyNotRemembered(ask)
  if (why !== undefined || !ask.remember || !ask.tool) return { why: why ?? 'there is nothing to remember' }
  const { key, rule } = ask.remember
  return { ...made, scope: 'session', sessionId: ask.sessionId, tool: ask.tool.name, key, rule, askId: ask.id }
}

/** The rule that settles this ask without a person: the same tool with exactly the same patterns. */
export function matchingRule(rules: readonly Rule[], ask: Ask): Rule | undefined {
  if (ask.kind !== 'approval' || whyNotRemembered(ask) !== undefined) return undefined
  return rules.find((rule) => rule.tool === ask.tool?.name && rule.key === ask.remember?.key)
}

/** Why a person cannot have this ask remembered, if they cannot. */
export function whyNotRemembered(ask: Ask): string | undefined {
  if (ask.flags.noRemember) return 'the agent does not allow this to be remembered'
  if (ask.flags.defaultToNo) return 'this ask wants a person each time'
  if (ask.matchedAskRule) return 'your own settings ask for a person each time'
  if (!ask.remember) return 'there is nothing to remember for this kind of ask'
  return undefined
}
