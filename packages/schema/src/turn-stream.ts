import type { Form } from './ask.ts'
import type { CallFacts } from './call-facts.ts'
import type { Outcome } from './outcome.ts'
import type { SessionState } from './session.ts'

/** What a turn sends while it runs. One server-sent event is `data: {"type","data"}`. */
export type StreamEvent =
  | { readonly type: 'text_delta'; readonly data: TextDelta }
  | {
      readonly type: 'tool_call_start' | 'tool_call_delta' | 'tool_call_end' | 'tool_result'
      readonly data: ToolCallEvent
    }
  | { readonly type: 'approval_required'; readonly data: ApprovalEvent }
  | { readonly type: 'question_prompt'; readonly data: QuestionPromptEvent }
  | { readonly type: 'form_prompt'; readonly data: FormPromptEvent }
  | { readonly type: 'interaction_settled'; readonly data: InteractionSettledEvent }
  | { readonly type: 'session_status'; readonly data: SessionStatusEvent }
  | { readonly type: 'error'; readonly data: ErrorEvent }
  /** The last one. */
  | { readonly type: 'done'; readonly data: DoneEvent }

/** @public In the index of the client. */
export type StreamEventType = StreamEvent['type']

export interface TextDelta {
  readonly text: string
}

export interface ToolCallEvent {
  readonly toolCallId: string
  /** Empty where the call was made before this stream began, and longer ago than is looked up. */
  readonly toolName: string
  /** JSON: in `tool_call_delta` the piece that has just come, in `tool_call_end` all of it. */
  readonly input?: string
  /** In `tool_result`. */
  readonly result?: string
  readonly status: 'running' | 'complete' | 'error'
}

export interface ApprovalEvent extends CallFacts {
  /** The agent's id for the call; the ask's own id where it was not raised by the agent. */
  readonly toolCallId: string
  /** `ExitPlanMode` for a plan. */
  readonly toolName: string
  /** The whole input as JSON. */
  readonly input: string
}

export interface QuestionOption {
  readonly label: string
  readonly description?: string
}

export interface QuestionItem {
  /** A few letters, for a chip. Empty where the agent gave none. */
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
  /** The tool that is to run with what is filled in; empty where a server asks by itself. */
  readonly toolName: string
  /** The whole input of the call as JSON: it runs with that and with what is filled in. */
  readonly input: string
  readonly form: FormItem
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
}

export type FormItem = Form

/** An approval, a question or a form has its end: by an answer given anywhere, by its time limit, or because the agent went on. */
export interface InteractionSettledEvent {
  readonly toolCallId: string
  readonly outcome: InteractionOutcome
  /** The words of the person who denied it, or why it was withdrawn. */
  readonly reason?: string
}

export type InteractionOutcome = Outcome['kind']

export interface ErrorEvent {
  readonly message: string
  readonly code?: string
}

export interface DoneEvent {
  readonly sessionId: string
}

export interface SessionStatusEvent {
  readonly sessionId: string
  /** `waiting` while anything is open that a person must answer, even if this protocol cannot show it. */
  readonly state: SessionState | 'waiting'
  readonly model?: string
}
