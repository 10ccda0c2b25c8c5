import { stat } from 'node:fs/promises'
import type { DriverStart } from '@holdpoint/core/driver'
import { shortText } from '../asks/short-text.ts'
import type { Subagent } from '../asks/subagents.ts'
import { subagentCall } from '../transcript/subagent-call.ts'
import type { CallBook } from './call-book.ts'
import type { Hook } from './hook-call.ts'
import { recordPath } from './session-record.ts'
import { configFolderOf, subagentTranscript, type TerminalPlace } from './terminal-place.ts'
import { createTranscriptFollower, type FollowOptions, type TranscriptFollower } from './transcript-follower.ts'
import type { FolderWatches } from './watch-folder.ts'

export interface SessionTranscriptsOptions {
  readonly start: DriverStart
  readonly place: TerminalPlace
  readonly book: CallBook
  readonly watches: FolderWatches
  readonly signal: AbortSignal
  /** Whether what they say becomes the session's thread. */
  readonly hasThread: boolean
  readonly onFact: FollowOptions['onFact']
  /** Something may have been written. */
  readonly onChange: () => void
}

/** What one conversation is written down in: a file of its own, and one for each subagent. */
export function createSessionTranscripts(options: SessionTranscriptsOptions) {
  const { start, place, book, signal } = options
  const { transcript } = place
  const subagents = new Map<string, TranscriptFollower>()
  const stopping: (() => void)[] = []
  const unwatched = new Set(transcript === undefined ? [] : [transcript])
  const threadAt = options.hasThread ? (start.attach?.checkpoint ?? 0) : 0
  const main = transcript === undefined ? undefined : followed(transcript, Math.max(place.from, threadAt))

  function followed(path: string, from: number, subagent?: string): TranscriptFollower {
    return createTranscriptFollower({
      path,
      from,
      ...(subagent !== undefined && { subagent }),
      nameOf: book.nameOf,
      onFact: options.onFact,
      async onItems(items, offset) {
        if (!options.hasThread) return
        const events = items.map((item) => ({ type: 'item' as const, item }))
        await start.tryEmit(events, subagent === undefined ? offset : undefined)
      },
    })
  }

  /** Claude Code makes its folders when it has something to put into them. */
  function watchFolders() {
    for (const path of unwatched) {
      const stop = options.watches.add(path, options.onChange)
      if (!stop) continue
      unwatched.delete(path)
      stopping.push(stop)
    }
  }

  async function named({ agent_id: agentId, agent_type: type }: Hook): Promise<Subagent> {
    if (agentId === undefined) return {}
    const path = transcript === undefined ? undefined : subagentTranscript(transcript, agentId)
    const call = path === undefined ? undefined : await subagentCall(path)
    return { subagent: call ?? agentId, ...(type !== undefined && { subagentName: shortText(type) }) }
  }

  return {
    exist: transcript !== undefined,
    /** The agent has said its last word, as far as it was read. */
    isAtRest: () => main?.isAtRest() !== false,
    /** Notices changes of what Claude Code notes about this process, too. */
    watchRecord(pid: number) {
      if (transcript !== undefined) unwatched.add(recordPath(configFolderOf(transcript), pid))
    },
    /** Reads what is new in all of them. */
    async read(): Promise<void> {
      watchFolders()
      await main?.read(signal)
      for (const follower of subagents.values()) await follower.read(signal)
    },
    /** Who a subagent is. */
    named,
    /** Follows the subagent that a hook speaks for, from now on. */
    async follow(hook: Hook): Promise<void> {
      const { agent_id: agentId } = hook
      if (agentId === undefined || transcript === undefined || subagents.has(agentId)) return
      const path = subagentTranscript(transcript, agentId)
      if (path === undefined) return
      const { subagent = agentId } = await named(hook)
      // The gateway before this one may have read some of it: of that nothing comes twice.
      const from = start.attach ? await sizeOf(path) : 0
      subagents.set(agentId, followed(path, from, subagent))
      unwatched.add(path)
    },
    close() {
      for (const stop of stopping) stop()
    },
  }
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
