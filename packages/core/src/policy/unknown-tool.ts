import type { PolicyRule } from '@holdpoint/schema/policy'
import { currentName } from './renamed-tools.ts'
import { parseRulePattern } from './rule-pattern.ts'

/** A warning about a rule for a tool that no known agent has: it may be a typo, and then the rule never matches. */
export function unknownTool({ pattern, effect }: PolicyRule, tools: ReadonlySet<string>): string | undefined {
  const parsed = parseRulePattern(pattern, effect)
  if ('error' in parsed || parsed.pattern.about !== 'tool' || tools.has(currentName(parsed.pattern.name)))
    return undefined
  return `No known agent has a tool named ${pattern}. Check the spelling: the rule matches only this exact name.`
}
