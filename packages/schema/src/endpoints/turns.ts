import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { paths } from '../paths.ts'

const toolCallId = z.string().min(1).max(256)

const Approve = z.strictObject({ toolCallId })

const Deny = z.strictObject({
  toolCallId,
  /** What the agent reads. Of no effect where a question is skipped. */
  message: z.string().max(65_536).optional(),
})

export const SubmitAnswers = z.strictObject({
  toolCallId,
  /**
   * By the question's place as text, from "0", or by its wording: a label or words of one's own; where several may be
   * chosen, the JSON text of an array of them.
   */
  answers: z.record(z.string(), z.string().max(65_536)),
})
export type SubmitAnswers = z.infer<typeof SubmitAnswers>

const SubmitForm = z.strictObject({
  toolCallId,
  /** By the names of the form's fields; empty for a link. */
  content: z.record(z.string(), z.unknown()),
})

const replies = { 200: z.object({ ok: z.literal(true) }) }

/** The turn stream: its events are in `turn-stream.ts`, and `sessions.sendMessage` streams them, too. */
export const turnEndpoints = {
  join: {
    ...paths.turns.join,
    summary: 'Follow what the agent does until it is done. Open asks come first',
    ticketed: true,
    replies: { 200: 'Server-sent events until the agent has nothing more to do' },
  },
  approve: {
    ...paths.turns.approve,
    summary: 'Allow a tool call, or approve a plan, by its tool-use id',
    body: Approve,
    idempotent: true,
    replies,
  },
  deny: {
    ...paths.turns.deny,
    summary: 'Deny a tool call or a plan, skip a question, or decline a form, by its tool-use id',
    body: Deny,
    idempotent: true,
    replies,
  },
  submitAnswers: {
    ...paths.turns.submitAnswers,
    summary: 'Answer the questions of a tool call, by its tool-use id. Questions are named by index or text',
    body: SubmitAnswers,
    idempotent: true,
    replies,
  },
  submitForm: {
    ...paths.turns.submitForm,
    summary: 'Submit a form, by its tool-use id or the id of its ask',
    body: SubmitForm,
    idempotent: true,
    replies,
  },
} satisfies EndpointsOf<typeof paths.turns>
