import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { LiveEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { sees } from '../auth/devices.ts'
import type { Context } from '../context.ts'
import type { Frame, Listener } from './fan-out.ts'

/** Everything open, and the place in the log where it was taken. */
export interface Snapshot {
  readonly seq: number
  readonly sessions: readonly Session[]
  /** Oldest first. */
  readonly asks: readonly Ask[]
  /** Messages that wait for their agent, in order. */
  readonly queued: readonly { readonly sessionId: SessionId; readonly item: MessageItem }[]
}

/** A client's end of a stream, whatever carries it. */
export interface Sink extends Listener {
  writeSnapshot(snapshot: Snapshot): void
  /** Resolves when the client has read enough to be written to. */
  ready(): Promise<void>
}

const PAGE = 100

/**
 * Brings a client up to date and keeps it there, without gap or repeat (I7): from its cursor if the log knows it, from
 * a snapshot else.
 */
export async function subscribe(
  context: Context,
  options: {
    sink: Sink
    device: Device
    after?: number
    sessionId?: SessionId
    signal: AbortSignal
    /** The client has been sent everything up to now; `partial` is what agents are in the middle of saying. */
    onCaughtUp?: (partial: readonly LiveEvent[]) => void
  },
): Promise<void> {
  const { sink, after, signal } = options
  const { ledger, fanOut, store } = context
  const partial = () => context.partialTexts.events().filter((event) => sink.wants(event.sessionId))
  if (after === undefined || after > ledger.seq()) {
    const snapshot = takeSnapshot(context, options)
    sink.writeSnapshot(snapshot)
    const texts = partial()
    if (texts.length > 0) sink.write(texts.map((event): Frame => ({ event })))
    fanOut.join(sink, snapshot.seq)
    options.onCaughtUp?.(texts)
    return
  }
  let cursor = after
  while (!signal.aborted && !fanOut.join(sink, cursor)) {
    const newest = ledger.seq()
    const page = await store.events({
      after: cursor,
      ...(options.sessionId && { sessionId: options.sessionId }),
      limit: PAGE,
    })
    // What is committed but not published yet comes by the fan-out: written here too, it would come twice.
    const wanted = page.filter(({ seq, event }) => seq <= newest && sink.wants(event.sessionId))
    if (signal.aborted) return
    if (wanted.length > 0) sink.write(wanted.map(({ seq, event }): Frame => ({ seq, event })))
    cursor = Math.min(page.length < PAGE ? newest : (page.at(-1)?.seq ?? newest), newest)
    await sink.ready()
  }
  if (signal.aborted) return
  // What was joined late is still to be written: first that, then the word that it was.
  fanOut.drained(sink)
  options.onCaughtUp?.(partial())
}

function takeSnapshot(context: Context, options: { device: Device; sessionId?: SessionId }): Snapshot {
  const { ledger } = context
  const visible = (id: SessionId) => sees(options.device, id) && (!options.sessionId || options.sessionId === id)
  const views = [...ledger.views().values()].filter((view) => visible(view.session.id))
  const ended = [...ledger.ended()].filter((session) => visible(session.id))
  return {
    seq: ledger.seq(),
    sessions: [...views.map((view) => view.session), ...ended],
    asks: views.flatMap((view) => [...view.asks.values()]).sort((a, b) => a.raisedAt - b.raisedAt),
    queued: views.flatMap((view) => view.queue.map((item) => ({ sessionId: view.session.id, item }))),
  }
}
