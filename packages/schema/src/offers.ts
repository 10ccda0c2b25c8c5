import { z } from 'zod'

/** A model that an agent can be set to. */
export const OfferedModel = z.object({
  /** What the agent takes for its name. */
  value: z.string(),
  name: z.string(),
  description: z.string().optional(),
})
export type OfferedModel = z.infer<typeof OfferedModel>

/** A command to the agent itself: a message that begins with a slash and this name. */
export const OfferedCommand = z.object({
  /** Without the slash. */
  name: z.string(),
  description: z.string().optional(),
  /** What may follow the name, such as `<file>`. */
  argumentHint: z.string().optional(),
  /** Set where the one who reads this may not send it. */
  ownerOnly: z.literal(true).optional(),
})
export type OfferedCommand = z.infer<typeof OfferedCommand>

/** What an agent says that it offers. Its words: neither checked nor complete. */
export const Offers = z.object({ models: z.array(OfferedModel), commands: z.array(OfferedCommand) })
export type Offers = z.infer<typeof Offers>
