import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'

/** An MCP server that the agent has and that nobody configured, by its own word at the beginning of a turn. */
export function unknownServer(message: SDKMessage, configured: object = {}): string | undefined {
  if (message.type !== 'system' || message.subtype !== 'init') return undefined
  return message.mcp_servers.find(({ name }) => !Object.hasOwn(configured, name))?.name
}
