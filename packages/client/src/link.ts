import type { DurableEvent, LiveEvent } from '@holdpoint/schema/event'
import type { Snapshot, SnapshotPart } from '@holdpoint/schema/stream'
import { backOffMs } from './back-off.ts'
import type { LinkState } from './gateway-client.ts'
import type { Timers } from './timers.ts'
import type { ReceivedFrame, Stream, StreamEnd, Wire } from './transport.ts'

/** How long a stream that should speak may be silent before it is given up. */
const PATIENCE_MS = 10_000
/**
 * The same for a new stream that owes us a snapshot or what was missed: both come in frames of megabytes, of which
 * nothing is seen before the last byte, and giving up on the way would start them from the first one.
 */
const TRANSFER_MS = 60_000
/** The same for a stream that was good and is asked whether it still is: a new one costs little. */
const PROBE_MS = 3_000
/** A check that takes longer than this shows: a person must not take old asks for open ones. */
const DOUBT_MS = 400
const BEAT_MS = 5_000
/** Pings cannot be seen from here: after so much silence the client asks whether anybody is there. */
const SILENCE_MS = 20_000
/** A stream that lived this long was a good one: the next failure starts from the shortest wait. */
const STABLE_MS = 5_000

export interface LinkHandlers {
  /** Replaces everything. May throw: then a new one is taken. */
  onSnapshot(snapshot: Snapshot): void
  /** The next event, once each, in order. May throw: then everything is dropped and a snapshot is taken. */
  onEvent(event: DurableEvent, seq: number): void
  onLive(event: LiveEvent): void
  onPolicyChanged(): void
  onMachinesChanged(): void
  /** Replaces what is known of texts in the making. */
  onPartial(events: readonly LiveEvent[]): void
  /** What is shown cannot be vouched for, or is not to be seen any more. */
  onDrop(): void
  onState(state: LinkState): void
}

/**
 * Keeps a stream to the gateway, whatever happens to it: resumes from the cursor where it can, takes a snapshot where
 * it cannot, and never believes a stream that the machine may have slept through.
 */
export function createLink(options: { transport: Wire; timers: Timers; random: () => number; handlers: LinkHandlers }) {
  const { transport, timers, handlers } = options
  let state: LinkState = 'connecting'
  let stream: Stream | undefined
  /** Counts streams, so that one which was let go has no say. */
  let generation = 0
  /** Position in the log of what is shown; without one there is nothing to show. */
  let seq: number | undefined
  /** How the gateway names that position. */
  let cursor: string | number | undefined
  /** Pieces of a snapshot whose last one has not come. */
  let parts: SnapshotPart[] = []
  let ref = ''
  let refs = 0
  /** Whether the gateway owes us the word that we are up to date. */
  let isAsked = false
  /** How long the current stream may be silent before it is given up, until it is live. */
  let patienceMs = PATIENCE_MS
  let failures = 0
  let heardAt = 0
  let isClosed = false
  /** Whether somebody looks at the page. The gateway takes each new stream for one that nobody looks at. */
  let inFront = false
  /** Something else than the gateway has answered. */
  let isForeign = false
  let callOffRetry = () => {}
  let callOffPatience = () => {}
  let callOffDoubt = () => {}
  let callOffBeat = () => {}
  let callOffStable = () => {}

  function setState(next: LinkState) {
    if (state === next) return
    state = next
    handlers.onState(next)
  }

  function setForeign(next: boolean) {
    if (isForeign === next) return
    isForeign = next
    handlers.onState(state)
  }

  function letGo() {
    generation++
    stream?.close()
    stream = undefined
    for (const callOff of [callOffRetry, callOffPatience, callOffDoubt, callOffBeat, callOffStable]) callOff()
  }

  function open() {
    letGo()
    parts = []
    const own = generation
    const isCurrent = () => own === generation
    patienceMs = PATIENCE_MS
    expect(patienceMs)
    stream = transport.stream({
      onOpen: () => isCurrent() && opened(),
      onFrame: (frame) => isCurrent() && take(frame),
      onEnd: (end) => isCurrent() && ended(end),
    })
  }

  function opened() {
    setForeign(false)
    patienceMs = TRANSFER_MS
    subscribe(patienceMs)
    if (inFront) attend()
  }

  function attend() {
    stream?.send({ type: 'attention', inFront })
  }

  function expect(ms: number) {
    callOffPatience()
    callOffPatience = timers.after(ms, () => ended('lost'))
  }

  function subscribe(silenceMs: number) {
    ref = `s${++refs}`
    isAsked = true
    expect(silenceMs)
    stream?.send({ type: 'subscribe', ref, ...(seq !== undefined && cursor !== undefined && { after: cursor }) })
  }

  function take(frame: ReceivedFrame) {
    heardAt = timers.now()
    if (state !== 'live') expect(patienceMs)
    try {
      fold(frame)
    } catch {
      resync()
    }
  }

  function fold(frame: ReceivedFrame) {
    switch (frame.type) {
      case 'snapshot':
        return begin(frame)
      case 'snapshot-part':
        parts.push(frame)
        if (frame.seq === undefined) return
        return begin({
          ...joined(parts.splice(0)),
          seq: frame.seq,
          ...(frame.cursor !== undefined && { cursor: frame.cursor }),
        })
      case 'event':
        if (seq === undefined || frame.seq <= seq) return
        handlers.onEvent(frame.event, frame.seq)
        moveTo(frame)
        return
      case 'live':
        if (seq !== undefined) handlers.onLive(frame.event)
        return
      case 'policy-changed':
        handlers.onPolicyChanged()
        return
      case 'machines-changed':
        handlers.onMachinesChanged()
        return
      case 'subscribed':
        if (frame.ref !== ref) return
        if (seq === undefined) return resync()
        handlers.onPartial(frame.partial)
        return arrived()
      case 'unreadable':
        return resync()
      default:
        return frame satisfies never
    }
  }

  function begin(snapshot: Snapshot) {
    seq = undefined
    handlers.onSnapshot(snapshot)
    moveTo(snapshot)
  }

  function moveTo(place: { readonly seq: number; readonly cursor?: string }) {
    seq = place.seq
    cursor = place.cursor ?? place.seq
  }

  /** Something is missing or wrong: rather nothing on the page than a wrong card. */
  function resync() {
    seq = undefined
    handlers.onDrop()
    setState('connecting')
    ended('lost')
  }

  function arrived() {
    isAsked = false
    patienceMs = PATIENCE_MS
    callOffPatience()
    callOffDoubt()
    if (state === 'live') return
    setState('live')
    callOffStable = timers.after(STABLE_MS, () => {
      failures = 0
    })
    beat()
  }

  function beat() {
    callOffBeat()
    callOffBeat = timers.after(BEAT_MS, () => {
      if (!isAsked && timers.now() - heardAt >= SILENCE_MS) probe()
      beat()
    })
  }

  /** Asks for what there is after the cursor: whoever answers is there, and nothing was missed. */
  function probe() {
    subscribe(PROBE_MS)
    callOffDoubt()
    callOffDoubt = timers.after(DOUBT_MS, () => setState('stale'))
  }

  function ended(end: StreamEnd) {
    letGo()
    setForeign(end === 'not_the_gateway')
    if (end === 'unauthorized') return loggedOut()
    // Also where it was lost between the snapshot and the word that this was all: what is shown may be old.
    if (seq !== undefined) setState('stale')
    callOffRetry = timers.after(backOffMs(failures++, options.random), open)
  }

  function loggedOut() {
    letGo()
    seq = undefined
    handlers.onDrop()
    setState('logged-out')
  }

  return {
    open,
    state: () => state,
    isForeign: () => isForeign,
    /** When the gateway was last heard. */
    heardAt: () => heardAt,
    /** Told to the gateway now and on each later stream. */
    setInFront(next: boolean) {
      if (inFront === next) return
      inFront = next
      attend()
    },
    /** Now, instead of when the back-off is over; a stream that seems to live is asked whether it does. */
    reconnect() {
      if (isClosed) return
      failures = 0
      if (state !== 'live') open()
      else if (!isAsked) probe()
    },
    /** Starts over with another credential, which may see other sessions. */
    restart() {
      if (isClosed) return
      failures = 0
      seq = undefined
      handlers.onDrop()
      setState('connecting')
      open()
    },
    loggedOut() {
      if (!isClosed) loggedOut()
    },
    close() {
      isClosed = true
      letGo()
    },
  }
}

function joined(parts: readonly SnapshotPart[]): SnapshotPart {
  return {
    sessions: parts.flatMap(({ sessions }) => sessions),
    asks: parts.flatMap(({ asks }) => asks),
    queued: parts.flatMap(({ queued }) => queued),
    notices: parts.flatMap(({ notices = [] }) => notices),
  }
}
