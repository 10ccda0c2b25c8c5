import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'

/** Texts in the making, by who speaks: `''` is the agent itself, else the subagent's name. */
export type PartialText = ReadonlyMap<string, string>

const SILENT: PartialText = new Map()

/** What the agents are saying right now. Held apart from everything else: it changes many times a second. */
export function createPartialTexts() {
  const texts = new Map<SessionId, PartialText>()

  function say(event: LiveEvent): boolean {
    if (event.type !== 'text-delta') return false
    const speaker = event.subagent ?? ''
    const known = texts.get(event.sessionId) ?? SILENT
    texts.set(event.sessionId, new Map(known).set(speaker, (known.get(speaker) ?? '') + event.text))
    return true
  }

  return {
    of: (sessionId: SessionId): PartialText => texts.get(sessionId) ?? SILENT,
    /** Says whether it changed anything. */
    onLive: say,
    /** A text that is finished is an item. One that was broken off never becomes one. */
    onEvent(event: DurableEvent) {
      const known = texts.get(event.sessionId)
      if (!known) return
      if (event.type === 'item-added' && event.item.type === 'message' && event.item.role === 'assistant') {
        const rest = new Map(known)
        rest.delete(event.item.subagent ?? '')
        texts.set(event.sessionId, rest)
      }
      const moved = event.type === 'session-changed' && (event.changes.state ?? event.changes.epoch) !== undefined
      if (moved || event.type === 'session-ended') texts.delete(event.sessionId)
    },
    replace(events: readonly LiveEvent[]) {
      texts.clear()
      for (const event of events) say(event)
    },
  }
}
