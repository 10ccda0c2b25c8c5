import type { CallFacts } from '@holdpoint/core/call-facts'

/** What a turn sends while it runs, for `sendMessage` and `joinTurn` of a `Transport`. */
export type StreamEvent =
  | { readonly type: 'text_delta'; readonly data: TextDelta }
  | { readonly type: 'tool_call_start' | 'tool_call_delta' | 'tool_call_end'; readonly data: ToolCallEvent }
  | { readonly type: 'tool_result'; readonly data: ToolCallEvent }
  | { readonly type: 'approval_required'; readonly data: ApprovalEvent }
  | { readonly type: 'question_prompt'; readonly data: QuestionPromptEvent }
  | { readonly type: 'form_prompt'; readonly data: FormPromptEvent }
  | { readonly type: 'interaction_settled'; readonly data: InteractionSettledEvent }
  | { readonly type: 'error'; readonly data: ErrorEvent }
  | { readonly type: 'done'; readonly data: DoneEvent }
  | { readonly type: 'session_status'; readonly data: SessionStatusEvent }

export type StreamEventType = StreamEvent['type']

export interface TextDelta {
  readonly text: string
}

export interface ToolCallEvent {
  readonly toolCallId: string
  readonly toolName: string
  /** JSON, whole or the part that has just come. */
  readonly input?: string
  readonly result?: string
  readonly status: 'pending' | 'running' | 'complete' | 'error'
}

export interface ApprovalEvent extends CallFacts {
  readonly toolCallId: string
  readonly toolName: string
  /** The whole input as JSON. */
  readonly input: string
}

export interface QuestionOption {
  readonly label: string
  readonly description?: string
}

export interface QuestionItem {
  /** A few letters, for a chip. */
  readonly header: string
  readonly question: string
  readonly options: readonly QuestionOption[]
  readonly multiSelect: boolean
}

export interface QuestionPromptEvent {
  readonly toolCallId: string
  readonly questions: readonly QuestionItem[]
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
}

/** What an MCP server, or a tool of one's own, wants filled in. */
export interface FormPromptEvent {
  readonly toolCallId: string
  /** Empty where a server asks by itself. */
  readonly toolName: string
  /** The whole input of the call as JSON: it runs with that and with what is filled in. */
  readonly input: string
  readonly form: FormItem
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
}

export interface FormItem {
  /** `url`: a link to open, and nothing to fill in. */
  readonly mode: 'form' | 'url'
  readonly server: string
  readonly message: string
  readonly url?: string | undefined
  /** JSON schema of a flat object of primitives. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
}

/** An approval, a question or a form has its end: by an answer given anywhere, by its time limit, or because the agent went on. */
export interface InteractionSettledEvent {
  readonly toolCallId: string
  readonly outcome: InteractionOutcome
  readonly reason?: string
}

export type InteractionOutcome = 'allowed' | 'denied' | 'answered' | 'expired' | 'withdrawn'

export interface ErrorEvent {
  readonly message: string
  readonly code?: string
}

export interface DoneEvent {
  readonly sessionId: string
}

export interface SessionStatusEvent {
  readonly sessionId: string
  readonly state: string
  readonly model?: string
}
