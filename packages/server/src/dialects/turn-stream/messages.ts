import type { CallFacts } from '@holdpoint/core/call-facts'
import type { Form } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { SendMessage, type SessionState } from '@holdpoint/schema/session'
import { z } from 'zod'

const toolCallId = z.string().min(1).max(256)

/** `{content}`, as the document has it, or the native form. */
export const Message: z.ZodType<SendMessage> = z.union(
  [SendMessage, z.strictObject({ content: SendMessage.shape.text }).transform(({ content }) => ({ text: content }))],
  { error: 'a message is {content} or {text, attachments?}, with a text of 1 to 1,000,000 characters' },
)

export const Approve = z.strictObject({ toolCallId })
export type Approve = z.infer<typeof Approve>

export const Deny = z.strictObject({
  toolCallId,
  /** What the agent reads. Of no effect where a question is skipped. */
  message: z.string().max(65_536).optional(),
})
export type Deny = z.infer<typeof Deny>

export const SubmitAnswers = z.strictObject({
  toolCallId,
  /**
   * By the question's place as text, from "0", or by its wording: a label or words of one's own; where several may be
   * chosen, the JSON text of an array of them.
   */
  answers: z.record(z.string(), z.string().max(65_536)),
})
export type SubmitAnswers = z.infer<typeof SubmitAnswers>

export const SubmitForm = z.strictObject({
  toolCallId,
  /** By the names of the form's fields; empty for a link. */
  content: z.record(z.string(), z.unknown()),
})
export type SubmitForm = z.infer<typeof SubmitForm>

/** One frame, `data: {"type","data"}`. The client package has the same types for those who read them. */
export type StreamEvent =
  | { readonly type: 'text_delta'; readonly data: { readonly text: string } }
  | {
      readonly type: 'tool_call_start' | 'tool_call_delta' | 'tool_call_end' | 'tool_result'
      readonly data: ToolCallEvent
    }
  | { readonly type: 'approval_required'; readonly data: ApprovalEvent }
  | { readonly type: 'question_prompt'; readonly data: QuestionPromptEvent }
  | { readonly type: 'form_prompt'; readonly data: FormPromptEvent }
  | { readonly type: 'interaction_settled'; readonly data: InteractionSettledEvent }
  | { readonly type: 'session_status'; readonly data: SessionStatusEvent }
  | { readonly type: 'error'; readonly data: { readonly message: string; readonly code?: string } }
  /** The last one. */
  | { readonly type: 'done'; readonly data: { readonly sessionId: string } }

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

export interface QuestionPromptEvent {
  readonly toolCallId: string
  readonly questions: readonly {
    /** Empty where the agent gave none. */
    readonly header: string
    readonly question: string
    readonly options: readonly { readonly label: string; readonly description?: string }[]
    readonly multiSelect: boolean
  }[]
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
}

/** Not in the document: what an MCP server, or a tool of one's own, wants filled in. */
export interface FormPromptEvent {
  readonly toolCallId: string
  /** The tool that is to run with what is filled in; empty where a server asks by itself. */
  readonly toolName: string
  /** The whole input of that call as JSON. */
  readonly input: string
  readonly form: Form
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
}

export interface InteractionSettledEvent {
  readonly toolCallId: string
  readonly outcome: Outcome['kind']
  /** The words of whoever denied it, or why it was withdrawn. */
  readonly reason?: string
}

export interface SessionStatusEvent {
  readonly sessionId: string
  /** `waiting` while anything is open that a person must answer, whether or not this protocol can show it. */
  readonly state: SessionState | 'waiting'
  readonly model?: string
}

/** What every refusal of these routes says. */
export interface ErrorBody {
  /** For people. */
  readonly error: string
  readonly code: string
  /** What exactly does not fit. */
  readonly issues?: readonly string[]
}
