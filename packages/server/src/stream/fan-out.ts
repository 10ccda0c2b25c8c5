import { sizeOf } from '@holdpoint/core/size-of'
import type { DurableEvent, LiveEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import { cursorOf } from './cursor.ts'

/** One event on its way to many. Its texts are made once, when the first listener of that kind needs them. */
export interface Frame {
  /** Where it stands in the log; live events stand nowhere. */
  readonly place?: { readonly seq: number; readonly cursor: string }
  readonly event: DurableEvent | LiveEvent
  /** About how many characters the event has. */
  readonly size: number
  socketText?: string
  sseText?: string
}

/** What has changed outside of all sessions. */
export type OutsideChange = 'policy-changed' | 'machines-changed'

/** One connected client. */
export interface Listener {
  wants(sessionId: SessionId): boolean
  /**
   * Writes several frames with one system call. `soon`: after what this turn of the event loop leads to, together with
   * what else is written until then.
   */
  write(frames: readonly Frame[], when?: 'soon'): void
  /** Says that something outside of all sessions has changed. Left out by clients that show none of it. */
  notify?(what: OutsideChange): void
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
const AT_ONCE_SIZE = 256 * 1024
/** Frames a slow listener may lag behind, and how large they may be together: they are kept for it (F58). */
export const MAX_LAG = 1000
export const MAX_LAG_SIZE = 16 * 1024 * 1024

/** Frames kept for those who join or come back, though everybody else has them. */
const RECENT = 100
const RECENT_SIZE = 4 * 1024 * 1024

export function frameOf({ seq, hash, event }: Stored): Frame {
  return { place: { seq, cursor: cursorOf(seq, hash) }, event, size: sizeOf(event) }
}

/** What is written at once: several frames, or one that is large. */
export function batchOf(frames: readonly Frame[], from: number): readonly Frame[] {
  let size = 0
  let to = from
  while (to < frames.length && to - from < AT_ONCE && size < AT_ONCE_SIZE) size += frames[to++]?.size ?? 0
  return frames.slice(from, to)
}

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
  /** Of all frames that are kept. */
  let size = 0
  let lastSeq = options.seq
  let pass: Iterator<Place> | undefined
  let passFrom = 0
  let again = false
  let resting: NodeJS.Timeout | undefined

  const end = () => first + frames.length

  function push(added: readonly Frame[]) {
    for (const frame of added) {
      frames.push(frame)
      size += frame.size
      trim()
    }
    // An agent that waits for this answer has it first: to write to a client wakes its process, which takes the CPU.
    for (const listener of eager) serveListener(listener, 'soon')
    kick()
  }

  /** Bounds what is kept for the slow. */
  function trim() {
    if (frames.length < 2 * MAX_LAG && size < 2 * MAX_LAG_SIZE) return
    const keepFrom = newest(MAX_LAG, MAX_LAG_SIZE)
    for (const place of places.values()) {
      // A listener that reads is only behind because its turn has not come.
      if (place.next < keepFrom) serve(place)
      if (place.next < keepFrom) place.listener.drop()
    }
    cut(keepFrom)
  }

  /** Where the newest frames begin, so many at most and no larger together. */
  function newest(count: number, limit: number): number {
    let from = end()
    for (let kept = 0; from > first && end() - from < count; from--) {
      kept += frames[from - 1 - first]?.size ?? 0
      if (kept > limit) break
    }
    return from
  }

  function cut(keepFrom: number) {
    for (const frame of frames.slice(0, keepFrom - first)) size -= frame.size
    frames = frames.slice(keepFrom - first)
    first = keepFrom
  }

  /** Lets go of what everybody has. A joiner who needs more reads it from the store; memory is not for that. */
  function release() {
    if (frames.length < 2 * RECENT && size < 2 * RECENT_SIZE) return
    let keepFrom = newest(RECENT, RECENT_SIZE)
    for (const place of places.values()) keepFrom = Math.min(keepFrom, place.next)
    if (keepFrom > first) cut(keepFrom)
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

  function serve(place: Place, when?: 'soon') {
    while (place.next < end()) {
      if (!place.listener.writable) {
        if (end() - place.next > MAX_LAG) place.listener.drop()
        return
      }
      const from = Math.max(place.next, first)
      const batch = batchOf(frames, from - first)
      const wanted = batch.filter((frame) => place.listener.wants(frame.event.sessionId))
      place.next = from + batch.length
      if (wanted.length > 0) place.listener.write(wanted, when)
    }
  }

  function serveListener(listener: Listener, when?: 'soon') {
    const place = places.get(listener)
    if (place) serve(place, when)
  }

  return {
    publish(stored: readonly Stored[]) {
      lastSeq = stored.at(-1)?.seq ?? lastSeq
      push(stored.map(frameOf))
    },
    publishLive(event: LiveEvent) {
      if (places.size > 0) push([{ event, size: sizeOf(event) }])
    },
    /** Not in the row of frames: it says nothing that has an order, and is read again after every reconnect. */
    notify(what: OutsideChange) {
      for (const { listener } of places.values()) listener.notify?.(what)
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
      const oldest = frames.find((frame) => frame.place)?.place?.seq
      if (oldest === undefined || oldest > seq + 1) return false
      const from = frames.findIndex((frame) => frame.place && frame.place.seq > seq)
      places.set(listener, { listener, next: first + from })
      kick()
      return true
    },
    /** The client has read on. */
    drained: (listener: Listener) => serveListener(listener),
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
    /** Whether somebody would get what happens in this session. */
    isWanted: (sessionId: SessionId) => [...places.keys()].some((listener) => listener.wants(sessionId)),
    /** Characters of the events that are kept for those who lag. */
    keptSize: () => size,
    close() {
      clearTimeout(resting)
      for (const { listener } of places.values()) listener.drop()
      places.clear()
    },
  }
}

export type FanOut = ReturnType<typeof createFanOut>
