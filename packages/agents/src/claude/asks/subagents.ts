import type { AgentLine } from './agent-line.ts'
import { shortText } from './short-text.ts'

export interface Subagent {
  readonly subagent?: string
  readonly subagentName?: string
}

/**
 * Who a subagent is. Its messages name the call that sent it out, its asks only its own id; both are known by the call,
 * so that they stand together. It learns from the lines and not from the SDK's messages, which may come after the ask
 * that they precede. After a re-attachment the name is not known, and the call from the subagent's next message on.
 */
export function createSubagents() {
  const calls = new Map<string, string>()
  const names = new Map<string, string>()

  return {
    arrived(line: AgentLine): void {
      const started = line.type === 'system' && line.subtype === 'task_started'
      const id = started ? line.task_id : line.agent_id
      const call = started ? line.tool_use_id : line.parent_tool_use_id
      if (typeof id !== 'string' || typeof call !== 'string') return
      calls.set(id, call)
      const name = started && typeof line.description === 'string' ? shortText(line.description) : ''
      if (name !== '') names.set(id, name)
    },
    named(agentId: unknown): Subagent {
      if (typeof agentId !== 'string' || agentId === '') return {}
      const subagentName = names.get(agentId)
      return { subagent: calls.get(agentId) ?? agentId, ...(subagentName !== undefined && { subagentName }) }
    },
  }
}
