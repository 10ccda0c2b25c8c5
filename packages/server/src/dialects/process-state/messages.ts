import { ToolInput } from '@holdpoint/schema/ask'
import type { SessionState } from '@holdpoint/schema/session'
import { z } from 'zod'
import { TextAnswer } from '../shared/text-answers.ts'

/** Optional fields may also be sent as null: a client that always fills in all of them means the same. */
const optional = <Value>(schema: z.ZodType<Value>) => schema.nullish().transform((value) => value ?? undefined)

const addressed = {
  type: z.literal('pending_request_response'),
  session_id: z.string().max(256),
  /** An ask's id. */
  request_id: z.string().max(256),
}

/** Strict: a misspelt `updated_input` must not run what the person has just changed. */
const ToolApprovalResponse = z.strictObject({
  ...addressed,
  request_type: z.literal('tool_approval'),
  decision: z.enum(['allow', 'deny']),
  /** Why not. Of no effect on an allow. */
  message: optional(z.string().max(65_536)),
  /** What is to run: the original again, or the person's own edit. Left out, the original. */
  updated_input: optional(ToolInput),
})

const AskUserQuestionResponse = z.strictObject({
  ...addressed,
  request_type: z.literal('ask_user_question'),
  /** By the question's wording. Questions may be left out. */
  answers: z.record(z.string(), TextAnswer),
})

export const PendingRequestResponse = z.discriminatedUnion('request_type', [
  ToolApprovalResponse,
  AskUserQuestionResponse,
])
export type PendingRequestResponse = z.infer<typeof PendingRequestResponse>

/** Everything that a client can send. */
export const TYPES: ReadonlySet<unknown> = new Set(['pending_request_response'])

/** What an agent waits for. Times here and below are seconds, with a fraction. */
export interface PendingRequest {
  readonly request_id: string
  readonly request_type: PendingRequestResponse['request_type']
  /** `ExitPlanMode` for a plan, `AskUserQuestion` for questions. */
  readonly tool_name: string
  /** Questions are in `questions`, the text of a plan in `plan`. */
  readonly tool_input: ToolInput
  readonly created_at: number
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
  /** Why the agent's own check has refused the call: an allow lets the agent make it once more. */
  readonly refusal_reason?: string
}

/** A session, as the process-state protocol knows it: the agent process that works in it. */
export interface ProcessInfo {
  readonly session_id: string
  readonly project_id: string
  readonly state: SessionState
  readonly started_at: number
  readonly state_changed_at: number
  /** Bytes, where they have been read. */
  readonly memory?: number
  /** What went wrong, in words. */
  readonly error?: string
  /** Why the process is no more. */
  readonly kill_reason?: string
  /** Also true while the agent waits for something that this protocol cannot show, such as a form. */
  readonly waiting_for_user: boolean
  /** The agent's oldest, or a program's where the agent has none; left out when there is none. */
  readonly pending_request?: PendingRequest
  /**
   * The agent's, then those of programs, oldest first, as far as they fit into one message; left out when there are none.
   */
  readonly pending_requests?: readonly PendingRequest[]
}

export type ProcessState = { readonly type: 'process_state' } & ProcessInfo

export interface ActiveProcesses {
  readonly type: 'active_processes'
  readonly processes: readonly ProcessInfo[]
}

/** To the sender alone: what it sent has changed nothing. */
export interface ErrorMessage {
  readonly type: 'error'
  readonly code: string
  /** For people. */
  readonly message: string
  /** Of the response that was refused, where it could be read. */
  readonly request_id?: string
  readonly issues?: readonly string[]
  /** With `already_settled`: how, when, from where and by whom. */
  readonly outcome?: { readonly kind: string; readonly at: number; readonly via: string; readonly by?: string }
}
