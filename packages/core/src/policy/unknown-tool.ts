import type { PolicyRule } from '@holdpoint/schema/policy'
import { currentName } from './renamed-tools.ts'
import { parseRulePattern } from './rule-pattern.ts'

/** A warning about a rule for a tool that no agent is known to have: it may be a slip, and then it holds for nothing. */
export function unknownTool({ pattern, effect }: PolicyRule, tools: ReadonlySet<string>): string | undefined {
  const parsed = parseRulePattern(pattern, effect)
  if ('error' in parsed || parsed.pattern.about !== 'tool' || tools.has(currentName(parsed.pattern.name)))
    return undefined
  return `No agent here is known to have a tool named ${pattern}. Check the spelling: the rule holds for that name alone.`
}
