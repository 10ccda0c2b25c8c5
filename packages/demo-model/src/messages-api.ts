import { z } from 'zod'

/** What this endpoint reads of the Messages API. Everything else passes unread: the caller is newer than we are. */
export const ContentBlock = z.looseObject({ type: z.string() })
export type ContentBlock = z.infer<typeof ContentBlock>

/** Claude Code also sends `system` in the middle of a conversation: environment, plan mode, task notifications. */
export const Message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(ContentBlock)]),
})
export type Message = z.infer<typeof Message>

export const MessagesRequest = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  system: z.union([z.string(), z.array(ContentBlock)]).optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  stream: z.boolean().optional(),
  /** Checks that the reply is to bring along: Claude Code's auto mode wants one of each tool call. */
  safeguards: z.unknown().optional(),
})
export type MessagesRequest = z.infer<typeof MessagesRequest>

export function blocksOf(content: string | readonly ContentBlock[] | undefined): readonly ContentBlock[] {
  if (content === undefined) return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

export function textOf(content: string | readonly ContentBlock[] | undefined): string {
  return blocksOf(content)
    .flatMap((block) => (block.type === 'text' && typeof block.text === 'string' ? [block.text] : []))
    .join('\n')
}
