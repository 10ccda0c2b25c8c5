import type { FindResult } from '@holdpoint/agents/pty/hosted-claude'
import { MARKER, markerMessage, newMarker } from '@holdpoint/agents/pty/marker'
import type { Terminals } from '@holdpoint/agents/pty/terminals'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { refusal } from '../http/errors.ts'
import { type Route, route } from '../http/route.ts'
import { findSession } from '../sending.ts'

const PATH = '/api/terminals/:sessionId/conversation'

const Known = z.object({
  state: z.enum(['none', 'unknown', 'guessed', 'known']),
  vendorSessionId: z.string().optional(),
  /** What would be typed to find it, word for word, and the marker in it. */
  marker: z.string(),
  message: z.string(),
})

export const FindConversation = z.strictObject({ marker: z.string().regex(MARKER) })

type Refusal = Extract<FindResult, { refusal: string }>['refusal']

/** What a person reads who wanted it found. */
const WORDS: Record<Exclude<Refusal, 'typing'>, string> = {
  'no-prompt': 'Claude Code’s prompt is not on the screen. Nothing was typed.',
  dialog: 'Claude Code asks something in its terminal. Answer that first. Nothing was typed.',
  working: 'Claude Code is at work. Wait until it has finished. Nothing was typed.',
  written: 'Something is written in Claude Code’s prompt already. Send it or delete it first. Nothing was typed.',
  changing: 'The screen changed at that moment. Nothing was typed. Try again.',
  unsent: 'The message was typed but not sent, because the terminal did not show it as expected. Look at the terminal.',
  searching: 'It is being looked for already.',
  ended: 'The terminal has ended, or is not in reach.',
}

/** Which conversation Claude Code has in a hosted terminal, and the way to find out that asks first. */
export function conversationRoutes(context: Context, terminals: Terminals): Route[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      action: 'send-message',
      summary: 'What is known of Claude Code’s conversation in a hosted terminal, and what would be typed to find it',
      replies: { 200: Known },
      async handle({ params, device }) {
        const session = await findSession(context, device, params.sessionId)
        const conversation = session && terminals.get(session.id)?.conversation
        if (!session || !conversation) return refusal('not_found')
        const marker = newMarker()
        const { vendorSessionId } = session
        const body = { state: conversation.state, marker, message: markerMessage(marker) }
        return { status: 200, body: { ...body, ...(vendorSessionId !== undefined && { vendorSessionId }) } }
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      action: 'send-message',
      summary:
        'Find Claude Code’s conversation in a hosted terminal: types the message with this marker, which costs a turn, and follows the file that it is found in. Only for a person who has said yes to that',
      body: FindConversation,
      replies: { 200: z.object({ found: z.boolean(), vendorSessionId: z.string().optional() }) },
      async handle({ params, body, device, signal }) {
        const session = await findSession(context, device, params.sessionId)
        const conversation = session && terminals.get(session.id)?.conversation
        if (!conversation) return refusal('not_found')
        const result = await conversation.find({ marker: body.marker, signal })
        if ('refusal' in result) {
          if (result.refusal === 'typing') return refusal('busy')
          return refusal('agent_refused', { message: WORDS[result.refusal], reason: result.refusal })
        }
        const { vendorSessionId } = result
        const found = vendorSessionId !== undefined
        return { status: 200, body: { found, ...(found && { vendorSessionId }) } }
      },
    }),
  ]
}
