import type { Ask } from '@holdpoint/schema/ask'

/** The field of the input that is shown as the agent's words alone: a remark on the call, and no part of what would run. */
export function remarkField({
  tool,
  agentSays,
  display,
}: Pick<Ask, 'tool' | 'agentSays' | 'display'>): string | undefined {
  if (!tool || agentSays === undefined) return undefined
  const fields = Object.entries(display?.shownIn ?? {})
  return fields.find(([name, part]) => part === 'agent-says' && tool.input[name] === agentSays)?.[0]
}
