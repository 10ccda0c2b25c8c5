/** What a line of the agent's output says about itself, before the SDK has it. Agents change: nothing is sure. */
export interface AgentLine {
  readonly type?: unknown
  readonly subtype?: unknown
  readonly uuid?: unknown
  readonly agent_id?: unknown
  readonly parent_tool_use_id?: unknown
  readonly task_id?: unknown
  readonly tool_use_id?: unknown
  readonly description?: unknown
  readonly is_backgrounded?: unknown
  readonly tasks?: unknown
  readonly state?: unknown
  readonly response?: unknown
}

/** Undefined for what is no message, and for the parts of one: there are many, and they say nothing that the whole does not. */
export function readLine(text: string): AgentLine | undefined {
  if (text.startsWith('{"type":"stream_event"')) return undefined
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? line : undefined
  } catch {
    return undefined
  }
}
