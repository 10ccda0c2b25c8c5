import { z } from 'zod'
import { ToolInput } from './ask.ts'
import { AskId } from './id.ts'
import { PermissionMode } from './permission-mode.ts'

/** Of no form at all: a digest that is not one is a digest that does not match, not a malformed answer (I2). */
const digest = z.string().max(256).optional().catch(undefined)
const message = z.string().max(65_536).optional()

export const RememberRequest = z.strictObject({
  /** The rule's text as the ask offered it; left out, the offered one is meant. */
  rule: z.string().max(65_536).optional(),
  scope: z.enum(['session', 'project', 'everywhere']),
  until: z.int().optional(),
})
export type RememberRequest = z.infer<typeof RememberRequest>

export const AllowAnswer = z.strictObject({
  kind: z.literal('allow'),
  digest,
  updatedInput: ToolInput.optional(),
  remember: RememberRequest.optional(),
  /** Plans only: the plan as the person edited it. */
  plan: z.string().max(1_000_000).optional(),
  /** Plans only: the mode to go on in. */
  permissionMode: PermissionMode.optional(),
})
export const DenyAnswer = z.strictObject({
  kind: z.literal('deny'),
  digest,
  message,
  interrupt: z.boolean().optional(),
})
export const QuestionAnswer = z.strictObject({
  kind: z.literal('answer'),
  digest,
  answers: z
    .array(
      z.strictObject({
        question: z.int().min(0),
        selected: z.array(z.string()).max(20),
        other: z.string().max(65_536).optional(),
      }),
    )
    .max(8),
})
export const SubmitAnswer = z.strictObject({
  kind: z.literal('submit'),
  digest,
  content: z.record(z.string(), z.unknown()),
})
export const DeclineAnswer = z.strictObject({ kind: z.literal('decline'), digest })
export const CancelAnswer = z.strictObject({
  kind: z.literal('cancel'),
  digest,
  /** Questions only: ends the turn as well. */
  interrupt: z.boolean().optional(),
})

export const Answer = z.discriminatedUnion('kind', [
  AllowAnswer,
  DenyAnswer,
  QuestionAnswer,
  SubmitAnswer,
  DeclineAnswer,
  CancelAnswer,
])
export type Answer = z.infer<typeof Answer>

const withId = { id: AskId.or(z.string().max(256)) }
/** One entry of a batch. */
export const AddressedAnswer = z.discriminatedUnion('kind', [
  AllowAnswer.extend(withId),
  DenyAnswer.extend(withId),
  QuestionAnswer.extend(withId),
  SubmitAnswer.extend(withId),
  DeclineAnswer.extend(withId),
  CancelAnswer.extend(withId),
])
export type AddressedAnswer = z.infer<typeof AddressedAnswer>
/** An entry that is no answer is refused on its own: a batch is never all or nothing. */
export const AnswerBatch = z.strictObject({
  answers: z
    .array(z.union([AddressedAnswer, z.looseObject({ id: z.string().max(256) })]))
    .min(1)
    .max(200),
})
