import { blocksOf, type ContentBlock, type Message, type MessagesRequest, textOf } from './messages-api.ts'
import type { ModelCall, Round, ToolCall, ToolResult, Turn } from './script.ts'

/** Reads a request of Claude Code. Calls without tools are side calls, titles for example, and are no `ModelCall`. */
export function readModelCall(request: MessagesRequest): ModelCall | undefined {
  const tools = (request.tools ?? []).map((tool) => tool.name)
  if (tools.length === 0) return undefined
  const { messages } = request
  const system = textOf(request.system)
  const told = [system, ...messages.filter((message) => message.role !== 'assistant').map(proseOf)].join('\n')
  const results = new Map(messages.flatMap(resultsOf))
  const turns = readTurns(messages, results)
  const cwd = lastMatch(told, /^ ?-? ?(?:Primary w|W)orking directory: (.+)$/gm)
  const planFile = lastMatch(told, /## Plan File Info:\n[^\n]*? at (\/[^\n]+?\.md)\b/g)
  return {
    messages,
    system,
    model: request.model,
    tools,
    subagent: system.includes('cc_is_subagent=true'),
    turns,
    firstUserText: turns[0]?.text ?? '',
    lastUserText: turns.at(-1)?.text ?? '',
    rounds: turns.at(-1)?.rounds ?? [],
    calls: turns.flatMap((turn) => turn.rounds.flat()),
    results,
    ...(cwd !== undefined && { cwd }),
    ...(planFile !== undefined && { planFile }),
  }
}

/** Claude Code speaks in the user's place, too. What it says there is no message from a person. */
const NOT_FROM_A_PERSON = [
  '[SYSTEM NOTIFICATION',
  '[Request interrupted',
  'The PermissionDenied hook indicated',
  '<task-notification',
  '<local-command-',
  '<command-name>',
]

function userTextsOf(message: Message): readonly string[] {
  if (message.role !== 'user') return []
  return blocksOf(message.content).flatMap((block) => {
    if (block.type !== 'text' || typeof block.text !== 'string') return []
    const text = block.text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim()
    return text === '' || NOT_FROM_A_PERSON.some((start) => text.startsWith(start)) ? [] : [text]
  })
}

function readTurns(messages: readonly Message[], results: ReadonlyMap<string, ToolResult>): readonly Turn[] {
  const turns: { text: string; rounds: Round[] }[] = []
  for (const message of messages) {
    turns.push(...userTextsOf(message).map((text) => ({ text, rounds: [] })))
    const round = callsOf(message).map((call): ToolCall => {
      const result = results.get(call.id)
      return result ? { ...call, result } : call
    })
    if (round.length === 0) continue
    // A resumed conversation can begin in the middle.
    if (turns.length === 0) turns.push({ text: '', rounds: [] })
    turns.at(-1)?.rounds.push(round)
  }
  return turns
}

function callsOf(message: Message): readonly ToolCall[] {
  if (message.role !== 'assistant') return []
  return blocksOf(message.content).flatMap((block) =>
    block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string'
      ? [{ id: block.id, name: block.name, input: asRecord(block.input) }]
      : [],
  )
}

function resultsOf(message: Message): readonly [string, ToolResult][] {
  if (message.role !== 'user') return []
  return blocksOf(message.content).flatMap((block): [string, ToolResult][] =>
    block.type === 'tool_result' && typeof block.tool_use_id === 'string'
      ? [[block.tool_use_id, { text: resultText(block.content), isError: block.is_error === true }]]
      : [],
  )
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? textOf(content as ContentBlock[]) : ''
}

/** Text without tool results: those are the work's own words and must not pass for Claude Code's. */
function proseOf(message: Message): string {
  return textOf(message.content)
}

function lastMatch(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[1]?.trim()
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
