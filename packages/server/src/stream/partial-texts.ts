import type { LiveEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'

/** The text that each agent is in the middle of saying, for those who join while it speaks. */
export function createPartialTexts() {
  const texts = new Map<SessionId, string>()
  return {
    onLive(event: LiveEvent) {
      if (event.type === 'text-delta' && event.subagent === undefined) {
        texts.set(event.sessionId, (texts.get(event.sessionId) ?? '') + event.text)
      }
    },
    onStored(stored: readonly Stored[]) {
      for (const { event } of stored) {
        const finished = event.type === 'item-added' && event.item.type === 'message' && event.item.role === 'assistant'
        if (finished || event.type === 'session-changed' || event.type === 'session-ended')
          texts.delete(event.sessionId)
      }
    },
    events: (): LiveEvent[] => [...texts].map(([sessionId, text]) => ({ type: 'text-delta', sessionId, text })),
  }
}
export type PartialTexts = ReturnType<typeof createPartialTexts>
