import type { DurableEvent, LiveEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'

/** One event on its way to many. Its texts are made once, when the first listener of that kind needs them. */
export interface Frame {
  readonly seq?: number
  readonly event: DurableEvent | LiveEvent
  socketText?: string
  sseText?: string
}

/** One connected client. */
export interface Listener {
  wants(sessionId: SessionId): boolean
  /** Writes several frames with one system call. */
  write(frames: readonly Frame[]): void
  /** False while the client has not read what it was sent. */
  readonly writable: boolean
  /** The client reads too slowly: it is let go, and resumes from its cursor. */
  drop(): void
}

interface Place {
  readonly listener: Listener
  /** Index of the next frame to write, counted since the start. */
  next: number
}

/** An ask takes several turns of the event loop on its way: a slice is what each of them may have to wait. */
const SLICE_MS = 0.5
/** A pass longer than this is followed by a rest, so that the many leave the time to the few who act. */
const SHORT_PASS_MS = 4
/** How long the rest is, in passes: while it lasts frames gather, and cost one write instead of several. */
const REST = 3
const LONGEST_REST_MS = 250
const MAX_EAGER = 16
/** Frames that are written before a listener is asked again whether it reads: what it leaves unread stays small. */
const AT_ONCE = 64
/** Frames a slow listener may lag behind. */
export const MAX_LAG = 1000

/** Frames kept for those who join or come back, though everybody else has them. */
const RECENT = 100

/**
 * Sends every event to every listener without making anyone wait for a thousand others. Frames stand in one shared
 * row; each listener has its place in it. A pass writes to each what it lacks, in slices between which answers and
 * asks are handled; while a pass is under way new frames gather, and the next pass sends them together. Those who have
 * answered lately wait for no pass.
 */
export function createFanOut(options: { now: () => number; seq: number }) {
  const places = new Map<Listener, Place>()
  /** Whoever has answered lately hears at once: it is the one that somebody is looking at. Latest last. */
  const eager = new Set<Listener>()
  let frames: Frame[] = []
  let first = 0
  let lastSeq = options.seq
  let pass: Iterator<Place> | undefined
  let passFrom = 0
  let again = false
  let resting: NodeJS.Timeout | undefined

  const end = () => first + frames.length

  function push(added: readonly Frame[]) {
    for (const frame of added) {
      frames.push(frame)
      trim()
    }
    for (const listener of eager) serveListener(listener)
    kick()
  }

  /** Bounds what is kept for the slow. */
  function trim() {
    if (frames.length < 2 * MAX_LAG) return
    const keepFrom = end() - MAX_LAG
    // A listener that reads is only behind because its turn has not come.
    for (const place of places.values()) if (place.next < keepFrom) serve(place)
    frames = frames.slice(keepFrom - first)
    first = keepFrom
  }

  /** Lets go of what everybody has. A joiner who needs more reads it from the store; memory is not for that. */
  function release() {
    let keepFrom = end() - RECENT
    for (const place of places.values()) keepFrom = Math.min(keepFrom, place.next)
    if (keepFrom - first < RECENT) return
    frames = frames.slice(keepFrom - first)
    first = keepFrom
  }

  function kick() {
    if (pass || resting) {
      again = true
      return
    }
    pass = places.values()
    passFrom = options.now()
    step()
  }

  function step() {
    const from = options.now()
    while (pass) {
      const { value: place, done } = pass.next()
      if (done) {
        finish()
        return
      }
      serve(place)
      if (options.now() - from > SLICE_MS) {
        setImmediate(step)
        return
      }
    }
  }

  function finish() {
    pass = undefined
    release()
    const took = options.now() - passFrom
    if (took > SHORT_PASS_MS) {
      resting = setTimeout(rested, Math.min(REST * took, LONGEST_REST_MS))
    } else if (again) {
      again = false
      kick()
    }
  }

  function rested() {
    resting = undefined
    if (!again) return
    again = false
    kick()
  }

  function serve(place: Place) {
    while (place.next < end()) {
      if (!place.listener.writable) {
        if (end() - place.next > MAX_LAG) place.listener.drop()
        return
      }
      const upTo = Math.min(end(), place.next + AT_ONCE)
      const wanted: Frame[] = []
      for (let index = Math.max(place.next, first); index < upTo; index++) {
        const frame = frames[index - first]
        if (frame && place.listener.wants(frame.event.sessionId)) wanted.push(frame)
      }
      place.next = upTo
      if (wanted.length > 0) place.listener.write(wanted)
    }
  }

  function serveListener(listener: Listener) {
    const place = places.get(listener)
    if (place) serve(place)
  }

  return {
    publish(stored: readonly Stored[]) {
      lastSeq = stored.at(-1)?.seq ?? lastSeq
      push(stored.map(({ seq, event }) => ({ seq, event })))
    },
    publishLive(event: LiveEvent) {
      if (places.size > 0) push([{ event }])
    },
    /**
     * Joins after the event `seq`. False when that is too long ago to be here still: the caller reads on from the
     * store and tries again.
     */
    join(listener: Listener, seq: number): boolean {
      if (seq >= lastSeq) {
        places.set(listener, { listener, next: end() })
        return true
      }
      const oldest = frames.find((frame) => frame.seq !== undefined)?.seq
      if (oldest === undefined || oldest > seq + 1) return false
      const from = frames.findIndex((frame) => frame.seq !== undefined && frame.seq > seq)
      places.set(listener, { listener, next: first + from })
      kick()
      return true
    },
    /** The client has read on. */
    drained: serveListener,
    prefer(listener: Listener) {
      if (!places.has(listener)) return
      eager.delete(listener)
      eager.add(listener)
      for (const oldest of eager) {
        if (eager.size <= MAX_EAGER) break
        eager.delete(oldest)
      }
    },
    leave(listener: Listener) {
      places.delete(listener)
      eager.delete(listener)
    },
    size: () => places.size,
    close() {
      clearTimeout(resting)
      for (const { listener } of places.values()) listener.drop()
      places.clear()
    },
  }
}

export type FanOut = ReturnType<typeof createFanOut>
