import { z } from 'zod'
import { AllowAnswer, CancelAnswer, DeclineAnswer, DenyAnswer, QuestionAnswer, SubmitAnswer } from './answer.ts'
import { SessionId } from './id.ts'

const answerFields = { type: z.literal('answer'), ref: z.string().max(128), id: z.string().max(256) }

export const Subscribe = z.strictObject({
  type: z.literal('subscribe'),
  /** The latest `cursor` that the client has. A bare number, as of an earlier version, names no place for sure. */
  after: z.union([z.string().max(64), z.int().min(0)]).optional(),
  sessionId: SessionId.optional(),
  /** Comes back in a `subscribed` frame once the client has been sent everything up to then. */
  ref: z.string().max(128).optional(),
})
export type Subscribe = z.infer<typeof Subscribe>

export const SocketAnswer = z.discriminatedUnion('kind', [
  AllowAnswer.extend(answerFields),
  DenyAnswer.extend(answerFields),
  QuestionAnswer.extend(answerFields),
  SubmitAnswer.extend(answerFields),
  DeclineAnswer.extend(answerFields),
  CancelAnswer.extend(answerFields),
])
export type SocketAnswer = z.infer<typeof SocketAnswer>

/** What a client may send on `/api/stream`. */
export const ClientFrame = z.discriminatedUnion('type', [Subscribe, SocketAnswer])
export type ClientFrame = z.infer<typeof ClientFrame>
