import { TOLD_BYTES } from '@holdpoint/core/cluster'
import { type DurableEvent, LiveEvent, type Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import { z } from 'zod'

/** Of a message around its pieces. */
const ENVELOPE_BYTES = 40
/** UTF-16 units of one piece: each may need six bytes in JSON. */
const LONGEST_TEXT = 1_000
/** Bytes of a piece without its text. One with longer names is not sent. */
const LONGEST_NAMES = 900

/**
 * A part of a text in the making, on its way to another gateway. It says where it belongs: a piece that was lost leaves a gap,
 * and one that came twice or late changes nothing.
 */
export const LivePiece = z.strictObject({
  event: LiveEvent,
  /** The place in the log of the event that ended the text before. */
  after: z.int().min(0),
  /** UTF-16 units of this text that come before. */
  at: z.int().min(0),
})
export type LivePiece = z.infer<typeof LivePiece>

/** One text in the making: of the agent, of a subagent, or the input of one call. What is no text has none. */
export function strandOf(event: LiveEvent): string | undefined {
  if (event.type === 'text-delta') return textStrand(event.subagent)
  return event.type === 'tool-input-delta' ? `input ${event.toolUseId}` : undefined
}

export function textOf(event: LiveEvent): string {
  if (event.type === 'text-delta') return event.text
  return event.type === 'tool-input-delta' ? event.json : ''
}

export function withText(event: LiveEvent, text: string): LiveEvent {
  if (event.type === 'text-delta') return { ...event, text }
  return event.type === 'tool-input-delta' ? { ...event, json: text } : event
}

const textStrand = (subagent = '') => `text ${subagent}`

/** From where in the log on the text of each strand is: everybody who follows the log knows the same. */
export function createTextEnds() {
  const ends = new Map<SessionId, Map<string, number>>()

  function endedBy(event: DurableEvent): string | undefined {
    if (event.type === 'item-added' && event.item.type === 'message' && event.item.role === 'assistant')
      return textStrand(event.item.subagent)
    const isOver = event.type === 'session-changed' && (event.changes.state ?? event.changes.epoch) !== undefined
    return isOver || event.type === 'session-ended' ? ALL : undefined
  }

  return {
    /** 0: none of its texts has ended since the start. */
    of: (sessionId: SessionId, strand: string) =>
      Math.max(ends.get(sessionId)?.get(strand) ?? 0, ends.get(sessionId)?.get(ALL) ?? 0),
    /** Calls back for each text that has ended: without a strand, for all of the session. */
    onStored(stored: readonly Stored[], ended: (sessionId: SessionId, strand?: string) => void) {
      for (const { event, seq } of stored) {
        const strand = endedBy(event)
        if (strand === undefined) continue
        const { sessionId, type } = event
        const known = ends.get(sessionId)
        if (type === 'session-ended') ends.delete(sessionId)
        else if (strand === ALL) ends.set(sessionId, new Map([[ALL, seq]]))
        else ends.set(sessionId, (known ?? new Map<string, number>()).set(strand, seq))
        if (strand === ALL) ended(sessionId)
        else ended(sessionId, strand)
      }
    },
  }
}

const ALL = 'all'

/** Pieces as messages can carry them, in order. No piece begins or ends inside of a character. */
export function packed(pieces: Iterable<LivePiece>): LivePiece[][] {
  const messages: LivePiece[][] = []
  let left = 0
  for (const whole of pieces) {
    if (bytesOf({ ...whole, event: withText(whole.event, '') }) > LONGEST_NAMES) continue
    for (const piece of cut(whole)) {
      const bytes = bytesOf(piece) + 1
      if (bytes > left) {
        messages.push([])
        left = TOLD_BYTES - ENVELOPE_BYTES
      }
      messages.at(-1)?.push(piece)
      left -= bytes
    }
  }
  return messages
}

function* cut(piece: LivePiece): Generator<LivePiece> {
  const text = textOf(piece.event)
  let from = 0
  do {
    let to = from + LONGEST_TEXT
    if (endsInsideCharacter(text.slice(from, to))) to--
    const { event, after, at } = piece
    yield { event: withText(event, text.slice(from, to)), after, at: at + from }
    from = to
  } while (from < text.length)
}

/** The second half of a character is still to come. */
export function endsInsideCharacter(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

function bytesOf(piece: LivePiece): number {
  return Buffer.byteLength(JSON.stringify(piece))
}
