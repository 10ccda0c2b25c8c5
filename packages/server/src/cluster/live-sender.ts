import type { Clock } from '@holdpoint/core/clock'
import { TOLD_PER_SECOND } from '@holdpoint/core/cluster'
import type { Ledger } from '@holdpoint/core/ledger'
import type { LiveEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import {
  createTextEnds,
  endsInsideCharacter,
  type LivePiece,
  packed,
  strandOf,
  textOf,
  withText,
} from './live-pieces.ts'
import type { Machines } from './machines.ts'
import type { NodeMessages } from './node-messages.ts'

const GATHER_MS = 50
/** What else nodes tell each other has a fifth of what they may. */
const MESSAGES_AT_ONCE = Math.floor((TOLD_PER_SECOND * 0.8 * GATHER_MS) / 1_000)
/** How long a session is sent after a watcher's last word. */
const WATCH_MS = 15_000
/** Of a longer text only what is new is sent, and nobody who comes late gets the beginning. */
const LONGEST_KEPT = 256 * 1024

interface Strand {
  readonly after: number
  length: number
  /** All of the text so far, where somebody who comes late gets it. */
  event?: LiveEvent
}

/** Sends what agents of this machine are in the middle of saying to the gateways where somebody looks at their sessions. */
export function createLiveSender(deps: {
  readonly ledger: Pick<Ledger, 'views' | 'seq'>
  readonly machines: Pick<Machines, 'isOurs'>
  readonly messages: NodeMessages
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
}) {
  const { ledger, messages, clock } = deps
  const ends = createTextEnds()
  /** An earlier life of this gateway may have sent other texts after the same event. */
  const since = ledger.seq()
  const strands = new Map<SessionId, Map<string, Strand>>()
  const watched = new Map<SessionId, number>()
  let waiting = new Map<string, LivePiece>()
  let cancel: (() => void) | undefined

  messages.on('watch', ({ sessions, whole }) => {
    for (const id of sessions) {
      const session = ledger.views().get(id)?.session
      if (!session || !deps.machines.isOurs(session)) continue
      watched.set(id, clock.monotonic() + WATCH_MS)
      if (whole) addWhole(id)
    }
  })

  function isWatched(id: SessionId): boolean {
    const until = watched.get(id)
    if (until !== undefined && until > clock.monotonic()) return true
    watched.delete(id)
    return false
  }

  function addWhole(id: SessionId) {
    for (const [name, { after, event }] of strands.get(id) ?? [])
      if (event) add(`${id} ${name}`, { event, after, at: 0 })
  }

  /** Notes that a strand goes on. Gives where it does. */
  function grow(event: LiveEvent, name: string): Omit<LivePiece, 'event'> {
    const { sessionId } = event
    const all = strands.get(sessionId) ?? new Map<string, Strand>()
    strands.set(sessionId, all)
    const after = Math.max(since, ends.of(sessionId, name))
    const strand = all.get(name) ?? {
      after,
      length: 0,
      ...(event.type === 'text-delta' && { event: withText(event, '') }),
    }
    all.set(name, strand)
    const at = strand.length
    strand.length += textOf(event).length
    if (strand.length > LONGEST_KEPT) delete strand.event
    if (strand.event) strand.event = withText(strand.event, textOf(strand.event) + textOf(event))
    return { after: strand.after, at }
  }

  function add(key: string, piece: LivePiece) {
    const before = waiting.get(key)
    const isNext = before && before.after === piece.after && before.at + textOf(before.event).length === piece.at
    const event = isNext ? joined(before.event, piece.event) : piece.event
    waiting.set(key, isNext ? { ...before, event } : piece)
    cancel ??= clock.after(GATHER_MS, flush)
  }

  function flush() {
    cancel = undefined
    const pieces = [...waiting]
    waiting = new Map()
    const due = pieces.flatMap(([key, piece]) => {
      const [now, later] = untilWholeCharacter(piece)
      if (later) add(key, later)
      return now
    })
    // The oldest are left out: who misses them waits for the whole, or for the finished item.
    for (const message of packed(due).slice(-MESSAGES_AT_ONCE)) messages.send({ type: 'live', pieces: message })
  }

  return {
    onLive(event: LiveEvent) {
      const name = strandOf(event)
      const place = name === undefined ? { after: 0, at: 0 } : grow(event, name)
      if (isWatched(event.sessionId)) add(`${event.sessionId} ${name}`, { event, ...place })
    },
    onStored(stored: readonly Stored[]) {
      ends.onStored(stored, (id, name) => {
        if (name === undefined) strands.delete(id)
        else strands.get(id)?.delete(name)
        if (!ledger.views().has(id)) watched.delete(id)
      })
    },
    close: () => cancel?.(),
  }
}

function joined(before: LiveEvent, next: LiveEvent): LiveEvent {
  return strandOf(next) === undefined ? { ...before, ...next } : withText(next, textOf(before) + textOf(next))
}

/** What can be sent, and what has to wait for the rest of its character. */
function untilWholeCharacter(piece: LivePiece): [LivePiece[], LivePiece?] {
  const text = textOf(piece.event)
  if (!endsInsideCharacter(text)) return [[piece]]
  const at = text.length - 1
  const part = (from: number, to?: number): LivePiece => ({
    ...piece,
    event: withText(piece.event, text.slice(from, to)),
    at: piece.at + from,
  })
  return [at > 0 ? [part(0, at)] : [], part(at)]
}
