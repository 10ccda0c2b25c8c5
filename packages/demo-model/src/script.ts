import type { Message } from './messages-api.ts'

export interface TextBlock {
  readonly type: 'text'
  readonly text: string
}

export interface ThinkingBlock {
  readonly type: 'thinking'
  readonly thinking: string
}

export interface ToolUseBlock {
  readonly type: 'tool_use'
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Derived from the conversation and the position in it when absent, so that a replay is identical. */
  readonly id?: string
  /** Why the check of Claude Code's auto mode objects to it; false where it does not. Left out: there is no check. */
  readonly flagged?: string | false
}

export type Block = TextBlock | ThinkingBlock | ToolUseBlock

export interface ReplyError {
  readonly status: number
  /** As the Messages API names it: `authentication_error`, `overloaded_error`, `api_error` … */
  readonly type: string
  readonly message: string
}

/** As the Messages API counts them. */
export interface ReplyUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
}

export interface Reply {
  readonly content: readonly Block[]
  /** Before the first byte. */
  readonly delayMs?: number
  /** Between pieces: text goes word by word, tool input in slices. */
  readonly chunkDelayMs?: number
  /** Tokens that the call counts as, where a script is about them. */
  readonly usage?: ReplyUsage
  /** Answers with this instead of the content. */
  readonly error?: ReplyError
  /** Stops before the end of the last block and keeps the connection open until the caller leaves. */
  readonly hang?: true
  /** Stops before the end of the last block and breaks the connection. */
  readonly cut?: true
}

/**
 * What the model says next. A pure function of the conversation: the same conversation gets the same reply, so a
 * script survives a restart of the endpoint, of the agent and of a test.
 */
export type Script = (call: ModelCall) => Reply | Promise<Reply>

export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Absent when the agent dropped the call without a result. */
  readonly result?: ToolResult
}

/** The calls of one reply. */
export type Round = readonly ToolCall[]

/** What a person wrote, and the replies with tool calls that followed. */
export interface Turn {
  readonly text: string
  readonly rounds: readonly Round[]
}

/** One call of the agent's main loop or of a subagent's loop. */
export interface ModelCall {
  readonly messages: readonly Message[]
  readonly system: string
  readonly model: string
  /** Tools whose schemas came along. Claude Code runs deferred ones, such as EnterPlanMode, though they are not here. */
  readonly tools: readonly string[]
  readonly subagent: boolean
  /** Oldest first, without the reminders and notices that Claude Code puts between. */
  readonly turns: readonly Turn[]
  readonly firstUserText: string
  readonly lastUserText: string
  /** Of the last turn. */
  readonly rounds: readonly Round[]
  /** Every tool call so far, in order. */
  readonly calls: readonly ToolCall[]
  readonly results: ReadonlyMap<string, ToolResult>
  readonly cwd?: string
  /** Where Claude Code wants the plan written; known once plan mode is on. */
  readonly planFile?: string
}

export function say(text: string): Reply {
  return { content: [{ type: 'text', text }] }
}

export function use(name: string, input: ToolUseBlock['input'] = {}): ToolUseBlock {
  return { type: 'tool_use', name, input }
}
