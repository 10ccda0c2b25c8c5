import type { EventQuery } from '@holdpoint/core/store'
import type { Stored } from '@holdpoint/schema/event'
import type { Commits } from './commits.ts'

const PAGE = 500
/** Characters. */
const PAGE_SIZE = 4 * 1024 * 1024

export interface FollowOptions {
  readonly after: number
  readonly signal: AbortSignal
  readonly commits: Commits
  readonly read: (query: EventQuery) => Promise<readonly Stored[]>
}

/** Replays by pages, so that a far-behind follower costs no more memory than a near one, then waits for commits. */
export async function* followLog({ after, signal, commits, read }: FollowOptions): AsyncGenerator<Stored, void> {
  let position = after
  while (!signal.aborted) {
    const count = commits.count
    const page = await read({ after: position, limit: PAGE, size: PAGE_SIZE })
    for (const stored of page) {
      if (signal.aborted) return
      yield stored
      position = stored.seq
    }
    if (page.length === 0) await commits.after(count, signal)
    if (commits.closed) return
  }
}
