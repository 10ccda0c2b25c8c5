import { request } from '@holdpoint/client/calls'
import type { Result } from '@holdpoint/client/gateway-client'
import type { Wire } from '@holdpoint/client/transport'
import type { ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import type { Conversation } from '@holdpoint/schema/endpoints/terminals'
import type { SessionId } from '@holdpoint/schema/id'
import { paths } from '@holdpoint/schema/paths'

/** What would be typed to find a conversation, word for word, and the marker in it. */
export type ConversationMessage = Pick<Conversation, 'marker' | 'message'>

export interface ConversationCalls {
  /** Types nothing. */
  message(): Promise<Result<ConversationMessage>>
  /** Types the message with this marker. */
  find(marker: string): Promise<Result<ReplyOf<typeof paths.terminals.findConversation>>>
}

export function conversationCalls(wire: Pick<Wire, 'call'>, sessionId: SessionId): ConversationCalls {
  const params = { sessionId }
  return {
    message: () => request(wire, paths.terminals.conversation, { params }),
    find: (marker) => request(wire, paths.terminals.findConversation, { params, body: { marker } }),
  }
}
