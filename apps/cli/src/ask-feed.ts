import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { Session } from '@holdpoint/schema/session'
import { shortId } from './abbreviation.ts'
import { outcomeWords } from './outcome-words.ts'
import { terminalText } from './terminal-text.ts'
import { timeWords } from './time-words.ts'

export type FeedEvent = { type: 'snapshot'; sessions: Session[]; asks: Ask[] } | DurableEvent

/** Turns a stream of events into lines about asks. After a gap the next snapshot says only what is new. */
export function createAskFeed(now: () => number) {
  const titles = new Map<string, string>()
  const open = new Set<string>()

  return {
    hear(event: FeedEvent): string[] {
      switch (event.type) {
        case 'snapshot':
          return hearSnapshot(event)
        case 'session-started':
          titles.set(event.sessionId, event.session.title)
          return []
        case 'session-changed':
          if (event.changes.title !== undefined) titles.set(event.sessionId, event.changes.title)
          return []
        case 'ask-raised':
          return raised(event.ask)
        case 'ask-settled':
          open.delete(event.askId)
          return [line(event.at, 'done', event.askId, outcomeWords(event.outcome, now()))]
        default:
          return []
      }
    },
  }

  function hearSnapshot({ sessions, asks }: { sessions: Session[]; asks: Ask[] }): string[] {
    for (const session of sessions) titles.set(session.id, session.title)
    const current = new Set<string>(asks.map((ask) => ask.id))
    const settled = [...open].filter((id) => !current.has(id))
    for (const id of settled) open.delete(id)
    return [...settled.map((id) => line(now(), 'done', id, 'settled meanwhile')), ...asks.flatMap(raised)]
  }

  function raised(ask: Ask): string[] {
    if (open.has(ask.id)) return []
    open.add(ask.id)
    return [
      line(
        ask.raisedAt,
        'open',
        ask.id,
        `${ask.kind}  ${terminalText(titles.get(ask.sessionId) ?? ask.sessionId)}: ${terminalText(ask.title)}`,
      ),
    ]
  }
}

function line(at: number, what: string, id: string, words: string): string {
  return `${timeWords(at).slice(11)}  ${what}  ${shortId(id)}  ${words}`
}
