import type { Ledger } from '@holdpoint/core/ledger'
import { sizeOf } from '@holdpoint/core/size-of'
import type { Store } from '@holdpoint/core/store'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import type { Device } from '@holdpoint/schema/device'
import type { LiveEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { Snapshot } from '@holdpoint/schema/stream'
import type { OpenAskNotices } from '../attention/ask-notices.ts'
import { placeOf } from './cursor.ts'
import { batchOf, type FanOut, type Frame, frameOf, type Listener } from './fan-out.ts'
import type { PartialTexts } from './partial-texts.ts'
import { takeSnapshot } from './snapshot.ts'

/** A client's end of a stream, whatever carries it. */
export interface Sink extends Listener {
  /** A promise where it takes more than one piece. */
  writeSnapshot(snapshot: Required<Snapshot>): Promise<void> | undefined
  /** Resolves when the client has read enough to be written to. */
  ready(): Promise<void>
}

export interface SubscriptionDeps {
  readonly ledger: Ledger
  readonly store: Store
  readonly fanOut: FanOut
  readonly partialTexts: PartialTexts
  readonly askNotices: Pick<OpenAskNotices, 'of'>
}

const PAGE = 100
/** Characters of the past that are kept for a client while it reads them (F58). */
export const PAGE_SIZE = 4 * 1024 * 1024

/**
 * Brings a client up to date and keeps it there, without gap or repeat (I7): from its cursor if the log knows it and can
 * be read from there, from a snapshot else.
 */
export async function subscribe(
  deps: SubscriptionDeps,
  options: {
    sink: Sink
    device: Device
    /** The client's cursor. */
    after?: string | number
    sessionId?: SessionId
    signal: AbortSignal
    /** The client has been sent everything up to now; `partial` is what agents are in the middle of saying. */
    onCaughtUp?: (partial: readonly LiveEvent[]) => void
  },
): Promise<void> {
  const { sink, after, signal } = options
  const { ledger, fanOut, store } = deps
  const partial = () => deps.partialTexts.events().filter((event) => sink.wants(event.sessionId))
  const place = after === undefined ? undefined : await placeOf(deps, after, signal)
  if (signal.aborted) return

  async function startAnew(): Promise<number> {
    const snapshot = takeSnapshot(deps, options)
    const pieces = sink.writeSnapshot(snapshot)
    if (pieces) await pieces
    const texts = partial()
    if (texts.length > 0 && !signal.aborted) sink.write(texts.map((event): Frame => ({ event, size: 0 })))
    return snapshot.seq
  }

  let cursor = place ?? (await startAnew())
  while (!signal.aborted && !fanOut.join(sink, cursor)) {
    const newest = ledger.seq()
    const { sessionId } = options
    const page = await unlessDamaged(
      store.events({ after: cursor, ...(sessionId && { sessionId }), limit: PAGE, size: PAGE_SIZE }),
    )
    if (signal.aborted) return
    if (!page) {
      cursor = await startAnew()
      continue
    }
    // What is committed but not published yet comes by the fan-out: written here too, it would come twice.
    const wanted = page.filter(({ seq, event }) => seq <= newest && sink.wants(event.sessionId))
    await writeAll(sink, wanted.map(frameOf))
    if (signal.aborted) return
    cursor = Math.min(isLast(page) ? newest : (page.at(-1)?.seq ?? newest), newest)
    await sink.ready()
  }
  if (signal.aborted) return
  // What was joined late is still to be written: first that, then the word that it was.
  fanOut.drained(sink)
  options.onCaughtUp?.(partial())
}

function isLast(page: readonly Stored[]): boolean {
  return page.length < PAGE && page.reduce((sum, { event }) => sum + sizeOf(event), 0) < PAGE_SIZE
}

/** Frames of the past, as the client reads them: a few may be large. */
async function writeAll(sink: Sink, frames: readonly Frame[]): Promise<void> {
  for (let from = 0; from < frames.length; ) {
    const batch = batchOf(frames, from)
    sink.write(batch)
    from += batch.length
    if (!sink.writable) await sink.ready()
  }
}
