import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { AgentEvent, AgentLiveEvent, NewItem } from '@holdpoint/core/driver'
import { tokensOf } from '@holdpoint/core/usage'
import { PermissionMode } from '@holdpoint/schema/permission-mode'
import { callDisplay } from '../asks/call-display.ts'
import { modelError } from './model-error.ts'
import { personsWords } from './persons-words.ts'
import { runningTotal } from './running-total.ts'

const RESULT_LIMIT = 256 * 1024

/** What a message of Claude Code's means to us. Types that we do not know pass: agents change. */
export function agentEvents(message: SDKMessage): AgentEvent[] {
  switch (message.type) {
    case 'system':
      return systemEvents(message)
    case 'assistant':
      // A synthetic message in the model's place; the result that follows says what went wrong.
      if (message.error) return []
      if (isCommandOutput(message)) return personsWords(message.local_command_source).map(item)
      return blocksOf(message.message.content).flatMap((block) => assistantItem(block, subagentOf(message)))
    case 'user':
      return blocksOf(message.message.content).flatMap((block) => resultItem(block, subagentOf(message)))
    case 'result': {
      const error = modelError(message)
      const used = usageOf(message)
      if (error) return [...used, notice('error', error.message), { type: 'turn-ended', error }]
      const stopped = message.subtype === 'success' || message.subtype === 'error_during_execution'
      const why: AgentEvent[] = stopped
        ? []
        : [notice('error', `The agent stopped: ${message.subtype.replaceAll('_', ' ')}.`)]
      return [...used, ...why, { type: 'turn-ended' }]
    }
    default:
      return []
  }
}

/** What a slash command printed comes as if the model had said it. Transcripts have it as it is in this field. */
function isCommandOutput(message: object): message is { local_command_source: string } {
  return 'local_command_source' in message && typeof message.local_command_source === 'string'
}

/** `/clear` begins to count anew. A failure may come with zeros too, and says nothing with them. */
function usageOf(result: Extract<SDKMessage, { type: 'result' }>): AgentEvent[] {
  const reported = runningTotal({ costUsd: result.total_cost_usd, models: result.modelUsage })
  const isNothing = reported && tokensOf(reported) === 0
  if (!reported || (isNothing && result.is_error)) return []
  return [{ type: 'usage', reported, ...(isNothing && { begins: true }) }]
}

function systemEvents(message: Extract<SDKMessage, { type: 'system' }>): AgentEvent[] {
  if (message.subtype === 'init') {
    const mode = PermissionMode.safeParse(message.permissionMode)
    const identified: AgentEvent = { type: 'identified', vendorSessionId: message.session_id, model: message.model }
    return mode.success ? [identified, { type: 'mode-changed', permissionMode: mode.data }] : [identified]
  }
  if (message.subtype === 'status') {
    const mode = PermissionMode.safeParse(message.permissionMode)
    return mode.success ? [{ type: 'mode-changed', permissionMode: mode.data }] : []
  }
  if (message.subtype === 'api_retry' && message.attempt === 1) {
    const why = message.error_status === null ? 'no connection' : `status ${message.error_status}`
    return [notice('info', `The model did not answer (${why}). Claude Code is trying again.`)]
  }
  return []
}

type Block = { readonly type: string; readonly [field: string]: unknown }

function blocksOf(content: unknown): Block[] {
  return Array.isArray(content) ? content.filter((block): block is Block => typeof block?.type === 'string') : []
}

function subagentOf(message: { parent_tool_use_id: string | null; agent_id?: unknown }): { subagent?: string } {
  // The call that sent it out, as in the parts of a message, which carry nothing else.
  const subagent = message.parent_tool_use_id ?? message.agent_id
  return typeof subagent === 'string' && subagent !== '' ? { subagent } : {}
}

function assistantItem(block: Block, from: { subagent?: string }): AgentEvent[] {
  if (block.type === 'text' && typeof block.text === 'string' && block.text !== '') {
    return [item({ type: 'message', role: 'assistant', text: block.text, ...from })]
  }
  if (block.type === 'thinking' && typeof block.thinking === 'string' && block.thinking !== '') {
    return [item({ type: 'thinking', text: block.thinking, ...from })]
  }
  if (block.type === 'tool_use') {
    const { input } = block
    const name = String(block.name)
    const display = callDisplay({ name, input })
    return [item({ type: 'tool-call', toolUseId: String(block.id), name, input, display, ...from })]
  }
  return []
}

function resultItem(block: Block, from: { subagent?: string }): AgentEvent[] {
  if (block.type !== 'tool_result') return []
  const text = plainText(block.content)
  const omitted = Math.max(0, text.length - RESULT_LIMIT)
  return [
    item({
      type: 'tool-result',
      toolUseId: String(block.tool_use_id),
      text: omitted > 0 ? text.slice(0, RESULT_LIMIT) : text,
      isError: block.is_error === true,
      ...(omitted > 0 && { omitted }),
      ...from,
    }),
  ]
}

function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  return blocksOf(content)
    .map((block) => (typeof block.text === 'string' ? block.text : `[${block.type}]`))
    .join('\n')
}

function item(value: NewItem): AgentEvent {
  return { type: 'item', item: value }
}

function notice(level: 'info' | 'error', text: string): AgentEvent {
  return item({ type: 'notice', level, text })
}

/** What is on its way: shown while it comes, never kept. Remembers which tool a piece of input belongs to. */
export function createLiveReader() {
  const tools = new Map<string, { toolUseId: string; name: string }>()

  return (message: SDKMessage): AgentLiveEvent | undefined => {
    if (message.type !== 'stream_event') return undefined
    const { event } = message
    const from = message.parent_tool_use_id ? { subagent: message.parent_tool_use_id } : {}
    const place = 'index' in event ? `${message.parent_tool_use_id}/${event.index}` : ''
    if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
      tools.set(place, { toolUseId: event.content_block.id, name: event.content_block.name })
    }
    if (event.type === 'content_block_stop') tools.delete(place)
    if (event.type !== 'content_block_delta') return undefined
    if (event.delta.type === 'text_delta') return { type: 'text-delta', text: event.delta.text, ...from }
    const tool = tools.get(place)
    if (event.delta.type !== 'input_json_delta' || !tool) return undefined
    return { type: 'tool-input-delta', ...tool, json: event.delta.partial_json, ...from }
  }
}
