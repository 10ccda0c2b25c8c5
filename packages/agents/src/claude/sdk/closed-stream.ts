/** For people to read. */
export const CLOSED_STREAM =
  'Claude Code could no longer ask: it refused two calls because its stream was closed. It was ended, because it would have retried forever. Holdpoint resumes it once while the gateway runs. After that, resume the session to continue.'

/** What Claude Code tells its model when it cannot ask any more, with or without what the SDK puts around it. */
const CLOSED = /^(?:<tool_use_error>)?(?:Error: )?(?:Tool permission )?stream closed/i
const MAX_REFUSALS = 2

/**
 * Tells, from what an agent says, that it cannot ask any more: every call is refused from then on, and the model may try
 * for ever (F40). One refusal may be a call that was under way; the second is not. The words of a person, for a call that
 * was asked about here, and those of an MCP server are not Claude Code's own.
 */
export function createClosedStream(wasAsked: (toolUseId: string) => boolean): (message: unknown) => boolean {
  const ofServers = new Set<unknown>()
  let refusals = 0
  return (message) => {
    for (const { id, name } of blocks<ToolUse>(message, 'assistant', 'tool_use')) {
      if (String(name).startsWith('mcp__')) ofServers.add(id)
    }
    for (const { tool_use_id: id, is_error: isError, content } of blocks<ToolResult>(message, 'user', 'tool_result')) {
      const isOwn = !ofServers.delete(id) && !wasAsked(String(id))
      if (isOwn && isError && CLOSED.test(textOf(content))) refusals++
    }
    return refusals >= MAX_REFUSALS
  }
}

interface ToolUse {
  readonly type: 'tool_use'
  readonly id?: unknown
  readonly name?: unknown
}

interface ToolResult {
  readonly type: 'tool_result'
  readonly tool_use_id?: unknown
  readonly is_error?: unknown
  readonly content?: unknown
}

function blocks<Block extends { type: string }>(message: unknown, of: string, kind: Block['type']): Block[] {
  const { type, message: inner } = (message ?? {}) as { type?: unknown; message?: { content?: unknown } }
  if (type !== of || !Array.isArray(inner?.content)) return []
  return inner.content.filter((block): block is Block => block?.type === kind)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const [first] = Array.isArray(content) ? content : []
  return typeof first?.text === 'string' ? first.text : ''
}
