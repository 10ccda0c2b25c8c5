import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Session } from '@holdpoint/schema/session'
import type { Clock } from './clock.ts'
import { LedgerClosed, LedgerConflict } from './ledger-error.ts'
import { evolve, type SessionView } from './session-view.ts'
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
   * again after a crash.
   */
  transact<Result>(sessionId: SessionId, decide: Decide<Result>, pace?: 'coalesce'): Promise<Result>
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

interface Entry {
  view: SessionView
  seq: number
  checkpoint: number
}

interface Waiting {
  readonly sessionId: SessionId
  readonly decide: Decide<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  tries: number
}

const ENDED_KEPT = 200
const BATCH_LIMIT = 512
const CONFLICT_TRIES = 3
const RECOVERY_MS = 500
const COALESCE_MS = 20

export interface LedgerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly warn: LogFunction
}

export function createLedger(deps: LedgerDeps): Ledger {
  const entries = new Map<SessionId, Entry>()
  const views = new Map<SessionId, SessionView>()
  const ended = new Map<SessionId, Session>()
  const listeners = new Set<(stored: readonly Stored[]) => void>()
  const lostListeners = new Set<(sessionId: SessionId) => void>()
  const waiting: Waiting[] = []
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
    for (;;) {
      const page = await deps.store.events({ after: lastSeq, limit: BATCH_LIMIT })
      for (const id of new Set(page.map(({ event }) => event.sessionId))) await reload(id)
      if (page.length > 0) publish(page)
      if (page.length < BATCH_LIMIT) break
    }
    mayBeBehind = false
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
      if (error instanceof CommitInDoubt) return findInLog(appends, error)
      throw error
    }
  }

  /** Somebody else wrote to these sessions first: sees what they left. Says what went wrong, if something did. */
  async function reconcile(sessions: ReadonlySet<SessionId>): Promise<unknown> {
    try {
      await catchUp()
      for (const id of sessions) await reload(id)
      return undefined
    } catch (error) {
      // What was committed before stays so: only those who met a conflict are told.
      readLogFirst()
      return error
    }
  }

  async function reload(id: SessionId): Promise<void> {
    // One that cannot be read must not hold up all others: it is refused when somebody asks for it.
    const live = await unlessDamaged(deps.store.liveSession(id))
    const wasAlive = views.has(id)
    forget(id)
    if (!live && wasAlive) for (const listener of lostListeners) listener(id)
    if (!live) return
    adopt(live)
    if (live.session.state === 'dead') retire(live.session)
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
    const at = deps.clock.now()
    const drafts = new Map<SessionId, { view: SessionView; events: DurableEvent[]; checkpoint?: number }>()
    const decided: { command: Waiting; result: unknown }[] = []

    for (const command of batch) {
      const draft = drafts.get(command.sessionId)
      try {
        let view = draft?.view ?? entries.get(command.sessionId)?.view
        const decision = command.decide(view, at)
        if (decision.events.length > 0 || decision.checkpoint !== undefined) {
          for (const event of decision.events) view = evolve(view, event)
          if (!view) throw new Error(`nothing to commit for ${command.sessionId}`)
          drafts.set(command.sessionId, {
            view,
            events: [...(draft?.events ?? []), ...decision.events],
            checkpoint: decision.checkpoint ?? draft?.checkpoint,
          })
        }
        decided.push({ command, result: decision.result })
      } catch (error) {
        command.reject(error)
      }
    }

    const appends: Append[] = [...drafts].map(([sessionId, draft]) => ({
      sessionId,
      expectedSeq: entries.get(sessionId)?.seq ?? 0,
      events: draft.events,
      session: draft.view.session,
      ...(draft.checkpoint !== undefined && { checkpoint: draft.checkpoint }),
    }))
    const results = appends.length > 0 ? await append(appends) : []

    const conflicts = new Set<SessionId>()
    const published: Stored[] = []
    appends.forEach((append, index) => {
      const result = results[index]
      const draft = drafts.get(append.sessionId)
      if (!result?.ok || !draft) {
        conflicts.add(append.sessionId)
        return
      }
      apply(append.sessionId, draft, append.expectedSeq + append.events.length)
      published.push(...result.stored)
    })
    published.sort((a, b) => a.seq - b.seq)
    if (published.length > 0) publish(published)
    const trouble = conflicts.size > 0 ? await reconcile(conflicts) : undefined

    for (const { command, result } of decided) {
      if (!conflicts.has(command.sessionId)) command.resolve(result)
      else if (trouble) command.reject(trouble)
      // Decide again on what they left.
      else if (++command.tries < CONFLICT_TRIES) {
        waiting.push(command)
        flushRequested = true
      } else command.reject(new LedgerConflict(command.sessionId))
    }
    for (const { sessionId } of batch) if (!views.has(sessionId)) entries.delete(sessionId)
  }

  function apply(sessionId: SessionId, draft: { view: SessionView; checkpoint?: number }, seq: number) {
    const checkpoint = draft.checkpoint ?? entries.get(sessionId)?.checkpoint ?? 0
    entries.set(sessionId, { view: draft.view, seq, checkpoint })
    if (draft.view.session.state === 'dead') {
      forget(sessionId)
      retire(draft.view.session)
    } else {
      views.set(sessionId, draft.view)
      ended.delete(sessionId)
    }
  }

  function retire(session: Session) {
    ended.delete(session.id)
    ended.set(session.id, session)
    for (const oldest of ended.keys()) {
      if (ended.size <= ENDED_KEPT) break
      ended.delete(oldest)
    }
  }

  function forget(sessionId: SessionId) {
    entries.delete(sessionId)
    views.delete(sessionId)
  }

  /** Gives back those that can be decided: a session that is damaged is refused alone, not with all that share its commit. */
  async function loadMissing(batch: readonly Waiting[]): Promise<readonly Waiting[]> {
    const missing = new Set(batch.map((command) => command.sessionId).filter((id) => !entries.has(id)))
    const damaged = new Map<SessionId, RecordDamaged>()
    for (const id of missing) {
      try {
        const live = await deps.store.liveSession(id)
        if (live) adopt(live)
      } catch (error) {
        if (!(error instanceof RecordDamaged)) throw error
        damaged.set(id, error)
      }
    }
    return batch.filter(({ sessionId, reject }) => {
      const damage = damaged.get(sessionId)
      if (damage) reject(damage)
      return !damage
    })
  }

  function adopt(live: LiveSession) {
    const sent = live.messages.findLast((message) => message.status === 'sent')
    const view: SessionView = {
      session: live.session,
      asks: new Map(live.asks.map((ask) => [ask.id, ask])),
      undelivered: live.undelivered,
      rules: live.rules,
      queue: live.messages.filter((message) => message.status === 'queued'),
      ...(sent && { sent }),
    }
    entries.set(live.session.id, { view, seq: live.seq, checkpoint: live.checkpoint })
    if (live.session.state !== 'dead') views.set(live.session.id, view)
  }

  return {
    transact: (sessionId, decide, pace) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new LedgerClosed())
        waiting.push({ sessionId, decide, resolve: resolve as (result: unknown) => void, reject, tries: 0 })
        if (pace !== 'coalesce') scheduleFlush()
        else cancelCoalesceTimer ??= deps.clock.after(COALESCE_MS, scheduleFlush)
      }),
    views: () => views,
    checkpoint: (sessionId) => entries.get(sessionId)?.checkpoint ?? 0,
    ended: () => ended.values(),
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
      for (const live of await deps.store.liveSessions()) adopt(live)
      const { sessions } = await deps.store.endedSessions({ limit: ENDED_KEPT })
      for (const session of sessions.toReversed()) ended.set(session.id, session)
    },
    async close() {
      if (waiting.length > 0) scheduleFlush()
      closed = true
      cancelRecoveryTimer?.()
      while (flushing) await flushing
    },
  }
}

function asCommitInDoubt(fault: StoreFault): CommitInDoubt {
  return fault instanceof CommitInDoubt ? fault : new CommitInDoubt(fault)
}
