import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Session } from '@holdpoint/schema/session'
import type { Clock } from './clock.ts'
import { appendOf, draftDecisions } from './draft-decisions.ts'
import { createKnownSessions, ENDED_KEPT } from './known-sessions.ts'
import { LedgerClosed, LedgerConflict } from './ledger-error.ts'
import type { OtherWriters } from './other-writers.ts'
import { readOn } from './read-on.ts'
import { type Conflict, conflictOf, createRetries, type Retried } from './retries.ts'
import type { SessionView } from './session-view.ts'
import {
  type Append,
  type AppendResult,
  CommitInDoubt,
  type LiveSession,
  RecordDamaged,
  type Store,
  StoreFault,
} from './store.ts'
import { unlessDamaged } from './unless-damaged.ts'

/** What a decision comes to: events to commit, and the result for its caller once they are committed. */
export interface Decision<Result> {
  readonly events: readonly DurableEvent[]
  readonly checkpoint?: number
  /** Of an answer: the number of the authority by which it was decided. Recorded only while that is the newest. */
  readonly authority?: number
  readonly result: Result
}

/** Pure: sees the newest view, including what earlier decisions of the same commit made of it. */
export type Decide<Result> = (view: SessionView | undefined, at: number) => Decision<Result>

/**
 * Every change goes through here: decide, commit, apply, publish, in that order (I3). Decisions that wait while a
 * commit is under way are committed together, so that many people and agents share one flush to disk.
 */
export interface Ledger {
  /**
   * Resolves after the commit. Rejects with the store's fault: then nothing was recorded. A `CommitInDoubt` is the
   * exception: the change may be on disk. A caller that tries again once the log can be read decides on what is there.
   * With `coalesce` the change waits a moment to share another one's commit: for what nobody waits on, and what comes
   * again after a crash. With `newest` the log is read to its end first, and published: for what is known to be there.
   */
  transact<Result>(sessionId: SessionId, decide: Decide<Result>, pace?: 'coalesce' | 'newest'): Promise<Result>
  /** Sessions that live in memory: every one whose agent may run. */
  views(): ReadonlyMap<SessionId, SessionView>
  checkpoint(sessionId: SessionId): number
  /** Sessions that ended lately, so that a snapshot can name them without a read. */
  ended(): Iterable<Session>
  /** Position of the newest event that was published. */
  seq(): number
  /** Its hash; undefined while the log is empty. */
  hash(): string | undefined
  /** Called after each commit, in order, with what it added. */
  subscribe(listener: (stored: readonly Stored[]) => void): () => void
  /** Called when a session that lived in memory cannot be read any more: nothing of it can be decided or recorded. */
  onLost(listener: (sessionId: SessionId) => void): () => void
  /** Reads what a restart needs. Once, before anything else. */
  load(): Promise<void>
  /** Waits for what is under way. Later transactions are rejected. */
  close(): Promise<void>
}

interface Waiting extends Retried {
  readonly sessionId: SessionId
  readonly decide: Decide<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

const BATCH_LIMIT = 512
const RECOVERY_MS = 500
const COALESCE_MS = 20

export interface LedgerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly warn: LogFunction
  /** Left out: nobody else writes to the log. */
  readonly others?: OtherWriters
}

export function createLedger(deps: LedgerDeps): Ledger {
  const known = createKnownSessions()
  const listeners = new Set<(stored: readonly Stored[]) => void>()
  const lostListeners = new Set<(sessionId: SessionId) => void>()
  const waiting: Waiting[] = []
  const retries = createRetries(deps)
  let flushing: Promise<void> | undefined
  let lastSeq = 0
  let lastHash: string | undefined
  let closed = false
  /** Whether the log may hold more than was published here. */
  let mayBeBehind = false
  /** Whether a commit is in doubt, and the log was not read since. */
  let isCommitInDoubt = false
  /** Whether a transaction was added while a flush was under way. */
  let flushRequested = false
  let cancelCoalesceTimer: (() => void) | undefined
  let cancelRecoveryTimer: (() => void) | undefined
  let stopWatching: (() => void) | undefined

  async function flush(): Promise<void> {
    flushRequested = false
    const batch = waiting.splice(0, BATCH_LIMIT)
    if (waiting.length > 0) flushRequested = true
    try {
      if (mayBeBehind) await catchUp()
      await commit(batch)
    } catch (error) {
      await failed(batch, error)
    }
    flushing = undefined
    // Not at once: what the last commit led to is still on its way here, and shares the next one.
    if (flushRequested) scheduleFlush()
  }

  async function failed(batch: readonly Waiting[], error: unknown): Promise<void> {
    // Not the store's fault, so one of these cannot be written down at all: the others must not suffer for it.
    if (!(error instanceof StoreFault) && batch.length > 1) {
      for (const command of batch) {
        try {
          if (mayBeBehind) await catchUp()
          await commit([command])
        } catch (reason) {
          await failed([command], reason)
        }
      }
      return
    }
    if (error instanceof CommitInDoubt) isCommitInDoubt = true
    // Until the log was read, what became of a call is not known: not of the one that failed, nor of a repetition of it.
    const fault = error instanceof StoreFault && isCommitInDoubt ? asCommitInDoubt(error) : error
    for (const command of batch) command.reject(fault)
    if (error instanceof StoreFault) readLogFirst()
  }

  /** A commit that failed may be on disk: the log is read before anything else is decided. */
  function readLogFirst() {
    mayBeBehind = true
    if (!closed) cancelRecoveryTimer ??= deps.clock.after(RECOVERY_MS, scheduleFlush)
  }

  /** Takes up what the log holds beyond what was published here: a commit in doubt, or another gateway's. */
  async function catchUp(): Promise<void> {
    try {
      await takeUp()
    } catch (error) {
      mayBeBehind = true
      throw error
    }
  }

  async function takeUp(): Promise<void> {
    // A commit in doubt has a checkpoint that no event tells: its session is read whole.
    const canApply = (first: Stored) => !isCommitInDoubt && known.canApply(first)
    for (;;) {
      // Before the page is read: what is appended later is told once, perhaps while the page is on its way.
      mayBeBehind = false
      const { events, sessions } = await readOn(deps.store, { after: lastSeq, limit: BATCH_LIMIT, canApply })
      for (const [id, live] of sessions) replace(id, live)
      for (const stored of events) {
        const { sessionId } = stored.event
        // What was read whole may be older than the last of these events. One that cannot be read stays unknown.
        if (!sessions.has(sessionId) || known.has(sessionId)) known.apply(stored)
      }
      if (events.length > 0) publish(events)
      known.dropEnded(events.map(({ event }) => event.sessionId))
      if (events.length < BATCH_LIMIT) break
    }
    isCommitInDoubt = false
  }

  /** A commit failed at its last step: what the log holds beyond what was published is that commit, or it is not there. */
  async function findInLog(appends: readonly Append[], fault: CommitInDoubt): Promise<readonly AppendResult[]> {
    const events = appends.reduce((sum, append) => sum + append.events.length, 0)
    const found = await deps.store.events({ after: lastSeq, limit: events + 1 }).catch(() => {
      throw fault
    })
    if (found.length === 0) throw new StoreFault(fault.code, fault.message, { cause: fault })
    return appends.map(({ sessionId, expectedSeq, events: given }): AppendResult => {
      const stored = found.filter(({ event }) => event.sessionId === sessionId)
      return stored.length === given.length ? { ok: true, stored } : { ok: false, seq: expectedSeq }
    })
  }

  async function append(appends: readonly Append[]): Promise<readonly AppendResult[]> {
    try {
      return await deps.store.append(appends)
    } catch (error) {
      // Where others write too, what was committed in between is in the log as well: all of it is taken up first.
      if (error instanceof CommitInDoubt && !deps.others) return findInLog(appends, error)
      throw error
    }
  }

  /** Reads what the log holds now. Says what went wrong, if something did: what was committed before stays so. */
  async function tryToCatchUp(): Promise<unknown> {
    try {
      await catchUp()
      return undefined
    } catch (error) {
      readLogFirst()
      return error
    }
  }

  function replace(id: SessionId, live: LiveSession | undefined) {
    const wasAlive = known.views.has(id)
    known.forget(id)
    if (!live && wasAlive) for (const listener of lostListeners) listener(id)
    if (!live) return
    known.adopt(live)
    if (live.session.state === 'dead') known.retire(live.session)
  }

  function publish(stored: readonly Stored[]) {
    const newest = stored[stored.length - 1]
    if (newest && newest.seq > lastSeq) {
      lastSeq = newest.seq
      lastHash = newest.hash
    }
    for (const listener of listeners) {
      try {
        listener(stored)
      } catch (error) {
        // A listener's bug must not make a commit look as if it had failed.
        deps.warn('ledger_listener_failed', { error: String(error) })
      }
    }
  }

  function scheduleFlush() {
    cancelCoalesceTimer?.()
    cancelRecoveryTimer?.()
    cancelCoalesceTimer = cancelRecoveryTimer = undefined
    flushRequested = true
    flushing ??= new Promise<void>((done) => deps.clock.soon(() => void flush().finally(done)))
  }

  async function commit(given: readonly Waiting[]): Promise<void> {
    const batch = await loadMissing(given)
    const { drafts, decided } = draftDecisions(batch, {
      at: deps.clock.now(),
      viewOf: (id) => known.get(id)?.view,
    })
    const appends = [...drafts].map(([id, draft]) => appendOf(id, known.get(id)?.seq ?? 0, draft))
    const results = appends.length > 0 ? await append(appends) : []

    const conflicts = new Map<SessionId, Conflict>()
    const committed: Append[] = []
    const stored: Stored[] = []
    appends.forEach((append, index) => {
      const result = results[index]
      if (result?.ok) {
        committed.push(append)
        stored.push(...result.stored)
      } else conflicts.set(append.sessionId, conflictOf(append, result))
    })
    stored.sort((a, b) => a.seq - b.seq)
    // What others have committed in between comes first: everything is published once, in the order of the log.
    const isNext = stored.every(({ seq }, index) => seq === lastSeq + 1 + index)
    for (const append of committed) take(append, isNext ? drafts.get(append.sessionId)?.view : undefined)
    if (isNext && stored.length > 0) publish(stored)
    const trouble = conflicts.size > 0 || !isNext ? await tryToCatchUp() : undefined
    // What was committed is on record, though it cannot be read just now.
    if (trouble && !isNext) isCommitInDoubt = true

    for (const { command, result, authority } of decided) {
      const conflict = conflicts.get(command.sessionId)
      if (!conflict) command.resolve(result)
      else if (trouble) command.reject(trouble)
      else if (conflict.isOfRights && authority !== undefined) void decideWithNewerRights(command, authority)
      else if (retries.mayRetry(command, conflict)) {
        waiting.push(command)
        flushRequested = true
      } else command.reject(new LedgerConflict(command.sessionId))
    }
    known.dropEnded(batch.map(({ sessionId }) => sessionId))
  }

  /** Without `view` its events come from the log, between those of others: only the checkpoint is not in them. */
  function take({ sessionId, expectedSeq, events, checkpoint }: Append, view: SessionView | undefined) {
    const before = known.get(sessionId)
    const reached = checkpoint ?? before?.checkpoint ?? 0
    if (view) known.set(sessionId, { view, seq: expectedSeq + events.length, checkpoint: reached })
    else if (before) known.set(sessionId, { ...before, checkpoint: reached })
  }

  async function decideWithNewerRights(command: Waiting, authority: number) {
    const mayRetry = await retries.newerRights(command, authority)
    if (closed) return command.reject(new LedgerClosed())
    if (!mayRetry) return command.reject(new LedgerConflict(command.sessionId))
    waiting.push(command)
    scheduleFlush()
  }

  /** Gives back those that can be decided: a session that is damaged is refused alone, not with all that share its commit. */
  async function loadMissing(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const missing = new Set(batch.map((command) => command.sessionId).filter((id) => !known.has(id)))
    const found: LiveSession[] = []
    const damaged = new Map<SessionId, RecordDamaged>()
    for (const id of missing) {
      try {
        const live = await deps.store.liveSession(id)
        if (live) found.push(live)
      } catch (error) {
        if (!(error instanceof RecordDamaged)) throw error
        damaged.set(id, error)
      }
    }
    // Somebody else has made it live, and nobody here was told of it yet.
    if (found.some(({ session }) => session.state !== 'dead')) await catchUp()
    for (const live of found) {
      const { id, state } = live.session
      if (known.has(id)) continue
      // One that lived then and is not followed has ended since it was read.
      const newest = state === 'dead' ? live : await unlessDamaged(deps.store.liveSession(id))
      if (newest) known.adopt(newest)
    }
    return batch.filter(({ sessionId, reject }) => {
      const damage = damaged.get(sessionId)
      if (damage) reject(damage)
      return !damage
    })
  }

  function hasAppended() {
    mayBeBehind = true
    if (!closed) scheduleFlush()
  }

  return {
    transact: (sessionId, decide, pace) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new LedgerClosed())
        waiting.push({ sessionId, decide, resolve: resolve as (result: unknown) => void, reject, refusals: 0 })
        if (pace === 'newest') mayBeBehind = true
        if (pace !== 'coalesce') scheduleFlush()
        else cancelCoalesceTimer ??= deps.clock.after(COALESCE_MS, scheduleFlush)
      }),
    views: () => known.views,
    checkpoint: (sessionId) => known.get(sessionId)?.checkpoint ?? 0,
    ended: known.ended,
    seq: () => lastSeq,
    hash: () => lastHash,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onLost(listener) {
      lostListeners.add(listener)
      return () => lostListeners.delete(listener)
    },
    async load() {
      lastSeq = await deps.store.lastSeq()
      lastHash = await deps.store.hashAt(lastSeq)
      for (const live of await deps.store.liveSessions()) known.adopt(live)
      const { sessions } = await deps.store.endedSessions({ limit: ENDED_KEPT })
      for (const session of sessions.toReversed()) known.retire(session)
      // Not sooner: what comes after the end of the log is not known before.
      stopWatching = deps.others?.onAppended(hasAppended)
      if (deps.others) hasAppended()
    },
    async close() {
      if (waiting.length > 0) scheduleFlush()
      closed = true
      stopWatching?.()
      cancelRecoveryTimer?.()
      retries.close()
      while (flushing) await flushing
    },
  }
}

function asCommitInDoubt(fault: StoreFault): CommitInDoubt {
  return fault instanceof CommitInDoubt ? fault : new CommitInDoubt(fault)
}
