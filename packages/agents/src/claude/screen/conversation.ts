import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import type { NewItem } from '@holdpoint/core/driver'
import { readEntry, type TranscriptEntry } from '../transcript/entry.ts'
import { beginsWithClear, findSessionById, sessionsSince } from '../transcript/find-session-file.ts'
import { createLineReader } from '../transcript/line-reader.ts'
import { type Calls, type EndedCall, NO_CALLS, type OpenCall } from '../transcript/open-calls.ts'
import { projectFolderName } from '../transcript/project-folder.ts'
import { scanSessionCalls } from '../transcript/scan-session-calls.ts'
import type { SessionFile } from '../transcript/session-files.ts'
import { trackCalls } from '../transcript/track-calls.ts'
import { entryItems } from '../transcript/transcript-items.ts'
import { isLastWord } from '../transcript/turn-end.ts'
import { watchTranscripts } from '../transcript/watch-transcripts.ts'
import { placeIn, readPlace } from './file-place.ts'

export interface ConversationOptions {
  readonly cwd: string
  readonly projects: string
  /** Where it is known which file it is; else the newest of the folder is taken once there is one. */
  readonly vendorSessionId: string | undefined
  /** How far the files are on record already; `recent` takes the last part of what there is, `end` nothing of it. */
  readonly from: number | 'recent' | 'end'
  /** Told once, where the program ran before this gateway did: the calls that are open. */
  readonly onTakenUp?: (open: readonly OpenCall[]) => void
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Which conversation it is from now on. The place is where it begins, if there was one before it. */
  readonly onIdentified: (vendorSessionId: string, place: number | undefined) => void
  readonly onCertainty: () => void
  /** In order; the file is read on when it has resolved. */
  readonly onItems: (items: readonly NewItem[], place: number | undefined) => Promise<void>
  /** More of it has been read. */
  readonly onRead: () => void
  readonly onWaiting: (call: OpenCall) => void
  readonly onEnded: (ended: EndedCall) => void
  readonly onNotWaiting: (call: OpenCall) => void
  readonly onFault: (error: unknown) => void
}

/**
 * How sure it is which file the conversation is in. `guessed`: there are several that it could be. `doubted`: what the
 * screen shows is not in the file.
 */
export type Certainty = 'looking' | 'guessed' | 'doubted' | 'sure'

export interface Conversation {
  readonly certainty: Certainty
  /** The agent has said its last word, as far as it was read and is on record. */
  readonly isAtRest: boolean
  /** Where Claude Code runs, as it says itself: a shell can have led it elsewhere. */
  readonly cwd: string
  /** Reads what the file holds by now. */
  readNow(): Promise<void>
  /** Looks whether the program goes on in another file. Says whether it does. */
  lookForNewer(): Promise<boolean>
  /** The screen shows that somebody said `/clear`: it goes on in a file that begins with that. */
  cleared(): Promise<void>
  /** It is in this file: somebody has made sure. */
  moveTo(file: Pick<SessionFile, 'path' | 'sessionId'>): void
  /** What is on the screen is in the file, or is not. */
  compared(isSame: boolean): void
  isOpen(toolUseId: string): boolean
  /** Every call without a result, also those that do not wait yet, in the order in which they were made. */
  open(): readonly OpenCall[]
  /** Whether more were open than are kept: then what is on the screen may be none of `open`. */
  readonly hasForgotten: boolean
  /** The calls that may wait for a person, in the order in which they were made. */
  waiting(): readonly OpenCall[]
  readonly closed: Promise<void>
}

interface Followed {
  readonly path: string
  readonly over: AbortController
  readonly read: () => Promise<void>
  readonly closed: Promise<void>
}

const LOOK_MS = 1000
/** Of a conversation that was begun elsewhere, as much as a person may want to see again. */
const RECENT_BYTES = 512 * 1024
const CLEARED_TRIES = 20
const CLEARED_EVERY_MS = 250
/** A file can be written before the screen shows why. */
const CLEARED_BEFORE_MS = 5000

/** Follows what Claude Code writes down about the conversation in a terminal, its subagents' included. */
export function followConversation(options: ConversationOptions): Conversation {
  const { projects, clock, signal, onFault } = options
  const startedAt = clock.now()
  const told = new Map<string, OpenCall>()
  const onRecord = typeof options.from === 'number' ? readPlace(options.from) : { file: 0, offset: options.from }
  /** Which of the terminal's conversations it is. */
  let nth = onRecord.file
  let tracker = track(NO_CALLS)
  /** Up to here the calls are known, though the items may not be on record. */
  let scanned = 0
  let file: Followed | undefined
  let certainty: Certainty = options.vendorSessionId === undefined ? 'looking' : 'sure'
  let { cwd } = options
  let isAtRest = true

  const beginning = begin().catch(onFault)
  signal.addEventListener('abort', () => tracker.close(), { once: true })

  async function begin() {
    const { vendorSessionId: id } = options
    if (id === undefined) return void lookUntilFound()
    const known = await findSessionById(projects, id, { cwd })
    const path = known?.path ?? join(projects, projectFolderName(cwd), `${id}.jsonl`)
    if (options.onTakenUp) {
      scanned = await sizeOf(path)
      const calls = scanned === 0 ? NO_CALLS : await scanSessionCalls(path, { signal })
      options.onTakenUp([...calls.open.values()])
      tracker.close()
      tracker = track(calls)
    }
    // Meanwhile somebody may have made sure of another one.
    if (!signal.aborted && !file) follow(path, onRecord.offset)
  }

  function track(from: Calls) {
    return trackCalls({
      clock,
      from,
      onWaiting(call) {
        told.set(call.toolUseId, call)
        // A tracker that is given open calls says so while it is being made: whoever looks now would see the one before.
        queueMicrotask(() => told.has(call.toolUseId) && options.onWaiting(call))
      },
      onNotWaiting(call) {
        told.delete(call.toolUseId)
        options.onNotWaiting(call)
      },
      onEnded(ended) {
        told.delete(ended.call.toolUseId)
        options.onEnded(ended)
      },
    })
  }

  async function lookUntilFound() {
    while (!signal.aborted && !file) {
      await lookForNewer()
      await pause(LOOK_MS)
    }
  }

  function be(now: Certainty) {
    if (certainty === now) return
    certainty = now
    options.onCertainty()
  }

  async function changedSince(since: number): Promise<SessionFile[]> {
    const where = file ? { folder: basename(dirname(file.path)) } : { cwd: options.cwd }
    return sessionsSince(projects, { ...where, since }).catch(() => [])
  }

  async function lookForNewer(): Promise<boolean> {
    const before = file
    const list = await changedSince(startedAt)
    const own = list.findIndex(({ path }) => path === before?.path)
    const [newest, ...others] = own < 0 ? list : list.slice(0, own)
    if (!newest || signal.aborted || file !== before) return false
    moveTo(newest, before ? 0 : onRecord.offset)
    be(others.length === 0 ? 'sure' : 'guessed')
    return true
  }

  async function cleared() {
    const since = clock.now() - CLEARED_BEFORE_MS
    const before = file
    for (let tries = 0; tries < CLEARED_TRIES; tries++) {
      const news = (await changedSince(since)).filter(({ path }) => path !== before?.path)
      const begun = await Promise.all(news.map(({ path }) => beginsWithClear(path).catch(() => false)))
      const [first, ...others] = news.filter((_, index) => begun[index])
      if (signal.aborted || file !== before) return
      // Two at once in one folder: which of them is ours cannot be told.
      if (first) return others.length === 0 ? moveTo(first, 0) : be('doubted')
      await pause(CLEARED_EVERY_MS)
    }
  }

  function moveTo({ path, sessionId }: Pick<SessionFile, 'path' | 'sessionId'>, from: Start = 'recent') {
    if (signal.aborted) return
    be('sure')
    if (path === file?.path) return
    if (file) nth++
    follow(path, from)
    options.onIdentified(sessionId, nth === 0 ? undefined : placeIn(nth, 0))
  }

  function follow(path: string, from: Start) {
    file?.over.abort()
    if (file) {
      tracker.reset()
      scanned = 0
    }
    const over = new AbortController()
    const either = AbortSignal.any([signal, over.signal])
    let reader: ReturnType<typeof createLineReader> | undefined
    let reading: Promise<void> = Promise.resolve()

    async function readOn() {
      reader ??= createLineReader({ path, from: await offsetOf(path, from) })
      let entries: TranscriptEntry[] = []
      let news: TranscriptEntry[] = []
      await reader.read(
        ({ bytes, offset }) => {
          const entry = readEntry(bytes)
          if (entry) entries.push(entry)
          if (entry && offset + bytes.length >= scanned) news.push(entry)
        },
        {
          signal: either,
          onRestart() {
            entries = []
            news = []
            scanned = 0
            nth++
            tracker.reset()
          },
        },
      )
      if (entries.length > 0) await take({ entries, news, place: placeIn(nth, reader.offset) })
    }
    // One after another: two at once would read the same lines.
    const read = () => {
      reading = reading.then(() => (either.aborted ? undefined : readOn())).catch(onFault)
      return reading
    }
    const watching = watchTranscripts({
      path,
      clock,
      signal: either,
      onUpdate: ({ agentId, subagent, entries }) => {
        if (agentId === undefined) return read()
        if (subagent !== undefined) tracker.running(subagent)
        return take({ entries, news: entries, subagent: subagent ?? agentId })
      },
      onFault,
    })
    const closed = watching.then(
      ({ closed: ended }) => ended,
      (error: unknown) => (either.aborted ? undefined : onFault(error)),
    )
    file = { path, over, read, closed: closed.then(() => reading) }
    // What was written before the watch began.
    void watching.then(read, () => {})
  }

  async function take(read: {
    entries: readonly TranscriptEntry[]
    /** Those of them that say something new about calls. */
    news: readonly TranscriptEntry[]
    subagent?: string
    place?: number
  }) {
    const source = read.subagent === undefined ? {} : { subagent: read.subagent }
    const items = read.entries.flatMap((entry) => entryItems(entry, source))
    cwd = read.subagent === undefined ? (read.entries.findLast((entry) => entry.cwd !== undefined)?.cwd ?? cwd) : cwd
    tracker.take(read.news)
    if (items.length > 0) await options.onItems(items, read.place)
    if (read.subagent === undefined) {
      isAtRest = read.entries.reduce((rests, entry) => isLastWord(entry) ?? rests, isAtRest)
      options.onRead()
    }
  }

  function pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => clock.after(milliseconds, resolve))
  }

  return {
    get certainty() {
      return certainty
    },
    get isAtRest() {
      return isAtRest
    },
    get cwd() {
      return cwd
    },
    async readNow() {
      await beginning
      await file?.read()
    },
    lookForNewer,
    cleared,
    moveTo: (to) => moveTo(to),
    compared: (isSame) => be(isSame ? 'sure' : 'doubted'),
    isOpen: (toolUseId) => tracker.calls.open.has(toolUseId),
    open: () => [...tracker.calls.open.values()],
    get hasForgotten() {
      return tracker.calls.hasForgotten === true
    },
    waiting: () => [...told.values()],
    get closed() {
      return beginning.then(() => file?.closed)
    },
  }
}

type Start = ConversationOptions['from']

async function offsetOf(path: string, from: Start): Promise<number> {
  if (typeof from === 'number') return from
  const size = await sizeOf(path)
  return from === 'end' ? size : Math.max(0, size - RECENT_BYTES)
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}
