import { SendMessage } from '@holdpoint/schema/session'
import { z } from 'zod'

/** `{content}`, as the turn-stream protocol has it, or the native form. */
export const Message: z.ZodType<SendMessage> = z.union(
  [SendMessage, z.strictObject({ content: SendMessage.shape.text }).transform(({ content }) => ({ text: content }))],
  { error: 'a message is {content} or {text, attachments?}, with a text of 1 to 1,000,000 characters' },
)

/** What every refusal of these routes says. */
export interface ErrorBody {
  /** For people. */
  readonly error: string
  readonly code: string
  /** What exactly does not fit. */
  readonly issues?: readonly string[]
}
