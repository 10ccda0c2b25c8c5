import { z } from 'zod'

/** The part of a card that shows a field of the input. */
export const CardPart = z.enum(['command', 'path', 'url', 'query', 'agent-says', 'diff', 'plan', 'plan-file'])
export type CardPart = z.infer<typeof CardPart>

export const DisplayIcon = z.enum(['terminal', 'edit', 'write', 'read', 'web', 'search', 'plan', 'tool'])
export type DisplayIcon = z.infer<typeof DisplayIcon>

/**
 * What a driver knows of a tool, for a card: nothing of it is the agent's text. It decides nothing: it is in no digest, and
 * no remembered answer is compared with it. Left out by other raisers and in older records: then a card shows the facts
 * and the whole input.
 */
export const Display = z.strictObject({
  /** What the call does, in a few words: `Edit file`. */
  verb: z.string().min(1).max(64),
  icon: DisplayIcon,
  /** The field of the input that says the most about the call. */
  subject: z.string().max(64).optional(),
  /** Fields of the input by name. A field that is not in here is shown with the rest of the input. */
  shownIn: z.record(z.string(), CardPart).optional(),
})
export type Display = z.infer<typeof Display>
