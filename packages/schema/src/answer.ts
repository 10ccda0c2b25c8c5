import { z } from 'zod'
import { ToolInput } from './ask.ts'
import { AskId } from './id.ts'
import { PermissionMode } from './permission-mode.ts'

/** Of no form at all: a digest that is not one is a digest that does not match, not a malformed answer (I2). */
const digest = z.string().max(256).optional().catch(undefined)
const message = z.string().max(65_536).optional()

export const RememberScope = z.enum(['session', 'project', 'everywhere'])
export type RememberScope = z.infer<typeof RememberScope>

export const RememberRequest = z.strictObject({
  /**
   * What a rule of the policy allows from now on, such as `Bash(git log *)`. Left out, or as `ask.remember.rule` has it: exactly
   * this call, until the session ends. Only an owner may give one.
   */
  rule: z.string().max(65_536).optional(),
  scope: RememberScope,
  /** When the rule ends. */
  until: z.int().optional(),
})
export type RememberRequest = z.infer<typeof RememberRequest>

const AllowAnswer = z.strictObject({
  kind: z.literal('allow'),
  digest,
  updatedInput: ToolInput.optional(),
  remember: RememberRequest.optional(),
  /** Plans only: the plan as the person edited it. */
  plan: z.string().max(1_000_000).optional(),
  /** Plans only: the mode to go on in. */
  permissionMode: PermissionMode.optional(),
})
const DenyAnswer = z.strictObject({
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
const SubmitAnswer = z.strictObject({
  kind: z.literal('submit'),
  digest,
  content: z.record(z.string(), z.unknown()),
})
const DeclineAnswer = z.strictObject({ kind: z.literal('decline'), digest })
const CancelAnswer = z.strictObject({
  kind: z.literal('cancel'),
  digest,
  /** Questions only: ends the turn as well. */
  interrupt: z.boolean().optional(),
})

/** Every answer, each with these fields besides its own. */
export function answersWith<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.discriminatedUnion('kind', [
    AllowAnswer.extend(fields),
    DenyAnswer.extend(fields),
    QuestionAnswer.extend(fields),
    SubmitAnswer.extend(fields),
    DeclineAnswer.extend(fields),
    CancelAnswer.extend(fields),
  ])
}

export const Answer = answersWith({})
export type Answer = z.infer<typeof Answer>

/** One entry of a batch. */
export const AddressedAnswer = answersWith({ id: AskId.or(z.string().max(256)) })
export type AddressedAnswer = z.infer<typeof AddressedAnswer>
/** An entry that is no answer is refused on its own: a batch is never all or nothing. */
export const AnswerBatch = z.strictObject({
  answers: z
    .array(z.union([AddressedAnswer, z.looseObject({ id: z.string().max(256) })]))
    .min(1)
    .max(200),
})
