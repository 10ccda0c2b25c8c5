/** What Claude Code tells its model when it cannot ask any more, with or without what the SDK puts around it. */
const CLOSED = /^(?:<tool_use_error>)?(?:Error: )?(?:Tool permission )?stream closed/i
const MAX_REFUSALS = 2

/**
 * Tells, from what an agent says, that it cannot ask any more: every call is refused from then on, and the model may try
 * for ever (F40). One refusal may be a call that was under way; the second is not.
 */
export function createClosedStream(): (message: unknown) => boolean {
  let refusals = 0
  return (message) => {
    refusals += results(message).filter(
      ({ is_error: isError, content }) => isError && CLOSED.test(textOf(content)),
    ).length
    return refusals >= MAX_REFUSALS
  }
}

interface ToolResult {
  readonly type: 'tool_result'
  readonly is_error?: unknown
  readonly content?: unknown
}

function results(message: unknown): ToolResult[] {
  const { type, message: inner } = (message ?? {}) as { type?: unknown; message?: { content?: unknown } }
  if (type !== 'user' || !Array.isArray(inner?.content)) return []
  return inner.content.filter((block): block is ToolResult => block?.type === 'tool_result')
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const [first] = Array.isArray(content) ? content : []
  return typeof first?.text === 'string' ? first.text : ''
}
