import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import type { LiveEvent, Stored } from '@holdpoint/schema/event'
import type { NodeId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { createTextEnds, type LivePiece, strandOf, textOf, withText } from './live-pieces.ts'
import type { Machines } from './machines.ts'
import { AT_ONCE, type NodeMessages } from './node-messages.ts'

const LOOK_MS = 1_000
const HEARTBEAT_MS = 5_000
/** Pieces that came before the events that they follow. */
const MAX_HELD = 500

/**
 * Has the texts in the making of other machines' agents sent here while somebody looks at their sessions, and shows them in
 * order: a piece that does not go on from what was shown is not shown. After a gap the owner sends the whole text again, and
 * what is missing of it is shown then.
 */
export function createLiveReceiver(deps: {
  readonly ledger: Pick<Ledger, 'views' | 'seq'>
  readonly machines: Pick<Machines, 'elsewhere'>
  readonly messages: NodeMessages
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  /** Whether somebody here looks at this session. */
  readonly isWanted: (id: SessionId) => boolean
  readonly publish: (event: LiveEvent) => void
}) {
  const { ledger, machines, messages, clock } = deps
  const ends = createTextEnds()
  const strands = new Map<SessionId, Map<string, { readonly after: number; length: number }>>()
  let held: { readonly piece: LivePiece; readonly from: NodeId }[] = []
  let watching = new Set<SessionId>()
  const incomplete = new Set<SessionId>()
  let heartbeatAt = clock.monotonic()
  let cancel = clock.after(LOOK_MS, look)

  function look() {
    cancel()
    cancel = clock.after(LOOK_MS, look)
    const wanted = [...ledger.views().values()].flatMap(({ session }) => (isWatched(session) ? [session.id] : []))
    const fresh = wanted.filter((id) => !watching.has(id) || incomplete.has(id))
    const isBeat = clock.monotonic() - heartbeatAt >= HEARTBEAT_MS
    if (isBeat) heartbeatAt = clock.monotonic()
    watching = new Set(wanted)
    incomplete.clear()
    tell(fresh, true)
    if (isBeat)
      tell(
        wanted.filter((id) => !fresh.includes(id)),
        false,
      )
  }

  function isWatched(session: Session): boolean {
    return session.state === 'assistant_turn' && machines.elsewhere(session) !== undefined && deps.isWanted(session.id)
  }

  function tell(sessions: readonly SessionId[], whole: boolean) {
    for (let from = 0; from < sessions.length; from += AT_ONCE)
      messages.send({ type: 'watch', sessions: sessions.slice(from, from + AT_ONCE), whole })
  }

  messages.on('live', ({ pieces }, from) => {
    for (const piece of pieces) take(piece, from)
  })

  function take(piece: LivePiece, from: NodeId) {
    if (piece.after > ledger.seq()) {
      held.push({ piece, from })
      if (held.length > MAX_HELD) held.shift()
      return
    }
    const session = ledger.views().get(piece.event.sessionId)?.session
    // Nobody speaks for an agent of another machine.
    if (machines.elsewhere(session) !== from) return
    const name = strandOf(piece.event)
    if (name === undefined) deps.publish(piece.event)
    else goOn(piece, name)
  }

  function goOn({ event, after, at }: LivePiece, name: string) {
    const { sessionId } = event
    // It came late: this text is an item by now.
    if (after < ends.of(sessionId, name)) return
    const all = strands.get(sessionId) ?? new Map<string, { after: number; length: number }>()
    const known = all.get(name)
    // A text that was begun here ends with an event, whatever comes: its owner may have started again in the middle of it.
    if (known && known.length > 0 && known.after !== after) return
    const strand = known?.after === after ? known : { after, length: 0 }
    if (at > strand.length) {
      if (event.type === 'text-delta') incomplete.add(sessionId)
      return
    }
    const rest = textOf(event).slice(strand.length - at)
    if (rest === '') return
    strand.length += rest.length
    strands.set(sessionId, all.set(name, strand))
    deps.publish(withText(event, rest))
  }

  return {
    onStored(stored: readonly Stored[]) {
      ends.onStored(stored, (id, name) => {
        if (name === undefined) strands.delete(id)
        else strands.get(id)?.delete(name)
      })
      const due = held
      held = []
      for (const { piece, from } of due) take(piece, from)
      // An agent that begins to speak is not waited for until the next look.
      const begins = ({ event }: Stored) => event.type === 'session-changed' && event.changes.state === 'assistant_turn'
      if (stored.some((one) => begins(one) && !watching.has(one.event.sessionId))) look()
    },
    close: () => cancel(),
  }
}
