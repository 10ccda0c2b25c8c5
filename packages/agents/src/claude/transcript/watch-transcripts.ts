import { basename, dirname, sep } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import type { TranscriptEntry } from './entry.ts'
import { type Below, type TreeFile, watchFolderTree } from './folder-tree.ts'
import { createFollowedFiles, type FileNews } from './followed-files.ts'
import type { Restart } from './line-reader.ts'
import { subagentCall } from './subagent-call.ts'
import { holdsTranscripts, type TranscriptOwner, transcriptOwner } from './transcript-path.ts'

const LIVE_CHECK_MS = 2000
/** In live checks. */
const SWEEP_EVERY = 8

export interface TranscriptUpdate extends TranscriptOwner {
  readonly path: string
  /** The call that sent the subagent out, when it is known. */
  readonly subagent?: string
  /** In the order of the file; empty when there is only news of the file itself. */
  readonly entries: readonly TranscriptEntry[]
  /** The file is not the one it was: what was read of it before does not count, and it is read from its start. */
  readonly restart?: Restart
  /** The file is gone. */
  readonly isGone?: true
}

export interface WatchOptions {
  /** All of `projects/`, or one session's file: then its subagents' files are part of it. Need not be there yet. */
  readonly path: string
  readonly clock: Clock
  readonly signal: AbortSignal
  /** In order for each file. The file is read on when it has resolved: who is slow holds up nothing else. */
  readonly onUpdate: (update: TranscriptUpdate) => Promise<void> | void
  /** What went wrong beside the way; the watch goes on. */
  readonly onFault: (error: unknown) => void
}

export interface TranscriptWatch {
  /** How many files are followed. */
  readonly files: number
  /** Settles when the signal has ended the watch and nothing is read any more. */
  readonly closed: Promise<void>
}

/**
 * Follows transcripts as they are written, from where each one ends now; files that come later, from their start.
 * Resolves when everything is being watched. What happens is told by the file system; a slow look at the files that
 * changed lately finds what it did not tell.
 */
export async function watchTranscripts(options: WatchOptions): Promise<TranscriptWatch> {
  const { clock, signal, onFault } = options
  signal.throwIfAborted()
  const scope = scopeOf(options.path)
  const calls = new Map<string, string>()

  async function emit(file: TreeFile, news: FileNews) {
    const owner = scope.owner(file.below)
    if (signal.aborted || !owner) return
    const subagent = owner.agentId === undefined || news.isGone ? undefined : await callOf(file.path)
    if (news.isGone) calls.delete(file.path)
    await options.onUpdate({ path: file.path, ...owner, ...(subagent !== undefined && { subagent }), ...news })
  }

  async function callOf(path: string): Promise<string | undefined> {
    const call = calls.get(path) ?? (await subagentCall(path))
    if (call !== undefined) calls.set(path, call)
    return call
  }

  const followed = createFollowedFiles({ clock, signal, emit, onFault })
  const tree = await watchFolderTree({
    root: scope.root,
    wantsFolder: scope.wantsFolder,
    wantsFile: (below) => scope.owner(below) !== undefined,
    onFound: followed.found,
    onChange: followed.changed,
    onFolderGone: (folder) => followed.folderGone((path) => path.startsWith(folder + sep)),
    onFault,
  })

  let checks = 0
  let checking: Promise<void> = Promise.resolve()
  let cancel = clock.after(LIVE_CHECK_MS, check)
  function check() {
    checks++
    checking = look().catch(onFault)
    void checking.then(() => {
      if (!signal.aborted) cancel = clock.after(LIVE_CHECK_MS, check)
    })
  }
  async function look() {
    if (!tree.hasRoot || checks % SWEEP_EVERY === 0) await tree.sweep()
    await followed.checkLive()
  }

  const closed = new Promise<void>((resolve) => {
    const close = async () => {
      cancel()
      tree.close()
      followed.close()
      await checking
      await followed.whenIdle()
      resolve()
    }
    if (signal.aborted) void close()
    else signal.addEventListener('abort', () => void close(), { once: true })
  })
  return {
    get files() {
      return followed.size
    },
    closed,
  }
}

interface Scope {
  readonly root: string
  wantsFolder(below: Below): boolean
  owner(below: Below): TranscriptOwner | undefined
}

function scopeOf(path: string): Scope {
  if (!path.endsWith('.jsonl')) return { root: path, wantsFolder: holdsTranscripts, owner: transcriptOwner }
  const name = basename(path)
  const session = basename(path, '.jsonl')
  const inProject = (below: Below) => ['', ...below]
  return {
    root: dirname(path),
    wantsFolder: (below) => below[0] === session && holdsTranscripts(inProject(below)),
    owner: (below) => (below[0] === session || below[0] === name ? transcriptOwner(inProject(below)) : undefined),
  }
}
