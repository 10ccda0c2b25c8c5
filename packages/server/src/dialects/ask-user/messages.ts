import type { Question } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import { SendMessage } from '@holdpoint/schema/session'
import { z } from 'zod'
import { TextAnswer } from '../shared/text-answers.ts'

/** Optional fields may also be sent as null: a client that always fills in all of them means the same. */
const optional = <Value>(schema: z.ZodType<Value>, absent: Value) =>
  schema.nullish().transform((value) => value ?? absent)

/** Strict: a misspelt `cancelled` must not turn into an answer. */
export const AskUserResponse = z.strictObject({
  type: z.literal('ask_user_response'),
  data: z.strictObject({
    /** An ask's id. */
    question_id: z.string().max(256),
    /** By the question's exact text. Questions may be left out. */
    answers: optional(z.record(z.string(), TextAnswer), {}),
    /** The person wants none of it: `answers` does not matter then. */
    cancelled: optional(z.boolean(), false),
  }),
})
export type AskUserResponse = z.infer<typeof AskUserResponse>

const ChatMessage = z.strictObject({
  type: z.literal('message'),
  data: z.strictObject({ text: SendMessage.shape.text }),
})

/** What a client may send. */
export const ClientMessage = z.discriminatedUnion('type', [AskUserResponse, ChatMessage])

/** Everything that a client can send. */
export const TYPES: ReadonlySet<unknown> = new Set(['ask_user_response', 'message'])

/** On connect, and whenever one of its fields has changed. */
export interface SessionStatus {
  readonly type: 'session_status'
  readonly session_id: SessionId
  /** The agent works; not while it waits for a person. */
  readonly is_processing: boolean
  /** The agent is held up by a question, or by something that only other surfaces show. */
  readonly waiting_for_user: boolean
  /** The agent's oldest open question, or a program's where the agent has none; null when there is none. */
  readonly pending_question_id: AskId | null
}

/** The pending question: when it becomes that, and on every connect until it is over. */
export interface AskUserQuestion {
  readonly type: 'ask_user_question'
  readonly question_id: AskId
  readonly questions: readonly Question[]
  /** From asking to expiry, also when it is sent again later; left out when the session waits for ever. */
  readonly timeout_seconds?: number
  /** The program that asks, by the name of its credential. Left out where the agent itself asks. */
  readonly raiser?: string
}

/** The pending question is over, and not by a response of this connection. */
export interface AskUserTimeout {
  readonly type: 'ask_user_timeout'
  readonly question_id: AskId
  /** Why, for people. */
  readonly error: string
}

/** To the sender alone: what it sent has changed nothing. */
export interface ErrorMessage {
  readonly type: 'error'
  /** For programs. */
  readonly error: string
  /** For people. */
  readonly message: string
  /** Of the response that was refused, where it could be read. */
  readonly question_id?: string
  /** What is wrong, one sentence each. */
  readonly issues?: readonly string[]
  /** With `already_settled`: how, when (in seconds), from where and by whom. */
  readonly outcome?: { readonly kind: string; readonly at: number; readonly via: string; readonly by?: string }
}

export type ServerMessage = SessionStatus | AskUserQuestion | AskUserTimeout | ErrorMessage
