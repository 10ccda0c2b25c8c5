import { resultOf } from '@holdpoint/client/calls'
import type { Result } from '@holdpoint/client/gateway-client'
import type { Wire } from '@holdpoint/client/transport'
import type { SessionId } from '@holdpoint/schema/id'

/** What would be typed to find a conversation, word for word, and the marker in it. */
export interface ConversationMessage {
  readonly marker: string
  readonly message: string
}

export interface ConversationCalls {
  /** Types nothing. */
  message(): Promise<Result<ConversationMessage>>
  /** Types the message with this marker. */
  find(marker: string): Promise<Result<{ readonly found: boolean }>>
}

export function conversationCalls(wire: Pick<Wire, 'call'>, sessionId: SessionId): ConversationCalls {
  const path = `/api/terminals/${encodeURIComponent(sessionId)}/conversation`
  return {
    message: async () => resultOf<ConversationMessage>(await wire.call({ method: 'GET', path })),
    find: async (marker) => resultOf<{ found: boolean }>(await wire.call({ method: 'POST', path, body: { marker } })),
  }
}
