/** What came back from tools in these messages of an agent to its model, as text. For tests. */
export function toolResults(messages: unknown): string {
  if (Array.isArray(messages)) return messages.map(toolResults).join('')
  if (typeof messages !== 'object' || messages === null) return ''
  const { type, content } = messages as { type?: unknown; content?: unknown }
  return type === 'tool_result' ? `${textOf(content)}\n` : toolResults(content)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((block: { text?: string }) => block.text ?? '').join('') : ''
}
