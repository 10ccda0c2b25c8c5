import { z } from 'zod'
import { Display } from './display.ts'
import { AskId, AttachmentId, ItemId } from './id.ts'

/** Its own file, so that a browser can have it without the schemas. */
export { askItem } from './ask-item.ts'

const base = { id: ItemId, at: z.int(), subagent: z.string().optional() }

export const MessageItem = z.strictObject({
  ...base,
  type: z.literal('message'),
  role: z.enum(['user', 'assistant']),
  text: z.string(),
  attachments: z.array(AttachmentId).optional(),
  /** A person's message waits while the agent works; it can be cancelled until it is sent. */
  status: z.enum(['queued', 'sent', 'cancelled']).optional(),
  /** The id under which the agent gets the message, so that a second delivery is recognised. */
  uuid: z.string().optional(),
})
export type MessageItem = z.infer<typeof MessageItem>

/** One entry of a session's thread. */
export const Item = z.discriminatedUnion('type', [
  MessageItem,
  z.strictObject({ ...base, type: z.literal('thinking'), text: z.string() }),
  z.strictObject({
    ...base,
    type: z.literal('tool-call'),
    toolUseId: z.string(),
    name: z.string(),
    input: z.unknown(),
    display: Display.optional(),
    /** In a list or a stream, a large input: how many characters it has. Its long texts and lists are empty there. */
    omitted: z.int().optional(),
  }),
  z.strictObject({
    ...base,
    type: z.literal('tool-result'),
    toolUseId: z.string(),
    text: z.string(),
    isError: z.boolean(),
    /** Pictures that it returned. */
    attachments: z.array(AttachmentId).optional(),
    /** Characters left out of `text`. */
    omitted: z.int().optional(),
  }),
  z.strictObject({ ...base, type: z.literal('ask'), askId: AskId }),
  z.strictObject({ ...base, type: z.literal('notice'), level: z.enum(['info', 'error']), text: z.string() }),
])
export type Item = z.infer<typeof Item>

/** A page of a thread, oldest entry first. */
export const ItemPage = z.object({
  items: z.array(Item),
  /** Pass it as `before` for the page that precedes this one. Left out where there is none. */
  nextBefore: z.int().optional(),
})
export type ItemPage = z.infer<typeof ItemPage>
