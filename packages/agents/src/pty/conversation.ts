import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import type { NewItem } from '@holdpoint/core/driver'
import { readEntry, type TranscriptEntry } from '../transcript/entry.ts'
import { findNewestSession } from '../transcript/find-session-file.ts'
import { createLineReader } from '../transcript/line-reader.ts'
import { type Calls, type EndedCall, NO_CALLS, type OpenCall } from '../transcript/open-calls.ts'
import { projectFolderName, projectsDir } from '../transcript/project-folder.ts'
import { scanCalls } from '../transcript/scan-calls.ts'
import { trackCalls } from '../transcript/track-calls.ts'
import { entryItems } from '../transcript/transcript-items.ts'
import { watchTranscripts } from '../transcript/watch-transcripts.ts'

export interface ConversationOptions {
  readonly cwd: string
  readonly projects: string | undefined
  /** Where it is known which file it is; else the newest of the folder is taken once there is one. */
  readonly vendorSessionId: string | undefined
  /** How far the file is on record already; `end` leaves out all that it holds now. */
  readonly from: number | 'end'
  /** Told once, where the program ran before this gateway did: the calls that are open. */
  readonly onTakenUp?: (open: readonly OpenCall[]) => void
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onIdentified: (vendorSessionId: string) => void
  /** In order; the file is read on when it has resolved. */
  readonly onItems: (items: readonly NewItem[], offset: number | undefined) => Promise<void>
  readonly onWaiting: (call: OpenCall) => void
  readonly onEnded: (ended: EndedCall) => void
  readonly onNotWaiting: (call: OpenCall) => void
  readonly onFault: (error: unknown) => void
}

export interface Conversation {
  /** Reads what the file holds by now. */
  readNow(): Promise<void>
  /** Looks whether the program goes on in another file, as after `/clear`. */
  lookForNewer(): Promise<void>
  isOpen(toolUseId: string): boolean
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

/** Follows what Claude Code writes down about the conversation in a terminal, its subagents' included. */
export function followConversation(options: ConversationOptions): Conversation {
  const { cwd, clock, signal, onFault } = options
  const projects = options.projects ?? projectsDir()
  const startedAt = clock.now()
  const told = new Map<string, OpenCall>()
  let tracker = track(NO_CALLS)
  /** Up to here the calls are known, though the items may not be on record. */
  let scanned = 0
  let file: Followed | undefined

  const beginning = begin().catch(onFault)
  signal.addEventListener('abort', () => tracker.close(), { once: true })

  async function begin() {
    if (options.vendorSessionId === undefined) return void lookUntilFound()
    const path = join(projects, projectFolderName(cwd), `${options.vendorSessionId}.jsonl`)
    if (options.onTakenUp) {
      scanned = await sizeOf(path)
      const calls = scanned === 0 ? NO_CALLS : await scanCalls(path, { signal })
      options.onTakenUp([...calls.open.values()])
      tracker.close()
      tracker = track(calls)
    }
    if (!signal.aborted) follow(path, options.from)
  }

  function track(from: Calls) {
    return trackCalls({
      clock,
      from,
      onWaiting(call) {
        told.set(call.toolUseId, call)
        options.onWaiting(call)
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
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve))
    }
  }

  async function lookForNewer() {
    const newest = await findNewestSession(projects, { cwd, since: startedAt }).catch(() => undefined)
    if (!newest || newest.path === file?.path || signal.aborted) return
    follow(newest.path, file ? 0 : options.from)
    options.onIdentified(basename(newest.path, '.jsonl'))
  }

  function follow(path: string, from: number | 'end') {
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
      reader ??= createLineReader({ path, from: from === 'end' ? await sizeOf(path) : from })
      const entries: TranscriptEntry[] = []
      const news: TranscriptEntry[] = []
      await reader.read(
        ({ bytes, offset }) => {
          const entry = readEntry(bytes)
          if (entry) entries.push(entry)
          if (entry && offset + bytes.length >= scanned) news.push(entry)
        },
        { signal: either },
      )
      if (entries.length > 0) await take({ entries, news, offset: reader.offset })
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
    offset?: number
  }) {
    const source = read.subagent === undefined ? {} : { subagent: read.subagent }
    const items = read.entries.flatMap((entry) => entryItems(entry, source))
    tracker.take(read.news)
    if (items.length > 0) await options.onItems(items, read.offset)
  }

  return {
    async readNow() {
      await beginning
      await file?.read()
    },
    lookForNewer,
    isOpen: (toolUseId) => tracker.calls.open.has(toolUseId),
    waiting: () => [...told.values()],
    get closed() {
      return beginning.then(() => file?.closed)
    },
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}
