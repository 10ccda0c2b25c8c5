import type { FindResult } from '@holdpoint/agents/claude/screen/hosted-claude'
import { markerMessage, newMarker } from '@holdpoint/agents/claude/screen/marker'
import type { Terminals } from '@holdpoint/agents/hosted/terminals'
import { terminalEndpoints } from '@holdpoint/schema/endpoints/terminals'
import { findSession } from '../services/find-session.ts'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

type Refusal = Extract<FindResult, { refusal: string }>['refusal']

/** What the person reads who started the search. */
const WORDS: Record<Exclude<Refusal, 'typing'>, string> = {
  no_prompt: 'Claude Code’s prompt is not on the screen. Nothing was typed.',
  dialog: 'A question is open in this terminal. Answer it first. Nothing was typed.',
  working: 'Claude Code is working. Wait until it has finished. Nothing was typed.',
  written: 'Claude Code’s prompt already contains text. Send or delete it first. Nothing was typed.',
  changing: 'The screen changed at the same moment. Nothing was typed. Try again.',
  unsent: 'The message was typed but not sent, because the terminal did not show it as expected. Look at the terminal.',
  searching: 'A search for this conversation is already running.',
  ended: 'The terminal has ended or cannot be reached.',
}

/** Which conversation Claude Code has in a hosted terminal, and the way to find out that asks first. */
export function conversationRoutes(services: Pick<Services, 'ledger' | 'store'>, terminals: Terminals): Route[] {
  return [
    route(terminalEndpoints.conversation, {
      action: 'send-message',
      async handle({ params, device }) {
        const session = await findSession(services, device, params.sessionId)
        const conversation = session && terminals.get(session.id)?.conversation
        if (!session || !conversation) return refusal('not_found')
        const marker = newMarker()
        const { vendorSessionId } = session
        const body = { state: conversation.state, marker, message: markerMessage(marker) }
        return { status: 200, body: { ...body, ...(vendorSessionId !== undefined && { vendorSessionId }) } }
      },
    }),
    route(terminalEndpoints.findConversation, {
      action: 'send-message',
      async handle({ params, body, device, signal }) {
        const session = await findSession(services, device, params.sessionId)
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
