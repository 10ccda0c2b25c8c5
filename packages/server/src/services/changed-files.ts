import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import { PROGRAM_AGENT } from '@holdpoint/core/program-agent'
import type { ChangedFiles, ChangesSince, FileDiff } from '@holdpoint/schema/changed-files'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Session } from '@holdpoint/schema/session'
import type { ChangeStore } from '../changes/change-store.ts'

/** A message waits no longer than this until it is known how the files are. */
export const CHANGES_WAIT_MS = 1000

/** What sessions of this machine have changed in their folders. */
export interface ChangedFilesService {
  /** Settles when it is known how the files are as a message is handed over, or after a second. Never rejects. */
  beforeTurn(id: SessionId): Promise<void>
  list(id: SessionId, since: ChangesSince): Promise<ChangedFiles | undefined>
  file(id: SessionId, since: ChangesSince, path: string): Promise<FileDiff | undefined>
  /** Forgets all that is kept of a session: for whoever removes the session. */
  remove(id: SessionId): Promise<void>
  /** Takes up the sessions of the gateway before this one. */
  resume(): void
  close(): Promise<void>
}

interface ChangedFilesDeps {
  readonly ledger: Ledger
  readonly changes: ChangeStore
  readonly isOurs: (session: Session) => boolean
  readonly clock: Clock
  readonly warn: LogFunction
}

/** Notes how a session's files are when it begins, at each message and at its end. */
export function createChangedFiles({ ledger, changes, isOurs, clock, warn }: ChangedFilesDeps): ChangedFilesService {
  /** The beginnings and the ends that are under way. */
  const noting = new Map<SessionId, Promise<void>>()
  /** Those of which something is noted. */
  const watched = new Set<SessionId>()
  let isClosed = false

  function note(id: SessionId, act: () => Promise<void>): Promise<void> {
    if (isClosed) return Promise.resolve()
    const noted = act()
      .catch((error: unknown) => {
        if (!isClosed) warn('files_not_noted', { sessionId: id, error: String(error) })
      })
      .finally(() => {
        if (noting.get(id) === noted) noting.delete(id)
      })
    noting.set(id, noted)
    return noted
  }

  /** Whether its agent works in a folder of this machine, and not inside of another program. */
  const isWatched = (session: Session) => isOurs(session) && !session.embedded && session.agent !== PROGRAM_AGENT

  function begin({ id, cwd }: Session, isLate: boolean) {
    watched.add(id)
    void note(id, () => changes.begin(id, { folder: cwd, isLate }))
  }

  function onEvent(event: DurableEvent) {
    const { sessionId } = event
    const session = ledger.views().get(sessionId)?.session
    if (event.type === 'session-started' && isWatched(event.session)) begin(event.session, false)
    // A new life of it.
    if (event.type === 'session-changed' && event.changes.epoch !== undefined && session && isWatched(session))
      begin(session, false)
    if (event.type === 'session-ended' && watched.delete(sessionId)) void note(sessionId, () => changes.end(sessionId))
    if (event.type === 'session-deleted' || event.type === 'session-retired')
      void note(sessionId, () => changes.remove(sessionId))
    // Typed where its agent runs: nobody hands it over.
    const isTyped = event.type === 'item-added' && event.item.type === 'message' && event.item.role === 'user'
    if (isTyped && event.item.type === 'message' && event.item.status === undefined && session && isWatched(session))
      void note(sessionId, () => changes.mark(sessionId))
  }
  const unsubscribe = ledger.subscribe((stored) => {
    for (const { event } of stored) onEvent(event)
  })

  return {
    async beforeTurn(id) {
      const session = ledger.views().get(id)?.session
      if (!session || !isWatched(session)) return
      const begun = noting.get(id)
      const marked = note(id, () => changes.mark(id))
      let cancel = () => {}
      const waited = new Promise<void>((resolve) => {
        cancel = clock.after(CHANGES_WAIT_MS, () => resolve())
      })
      await Promise.race([Promise.all([begun, marked]), waited])
      cancel()
    },
    list: (id, since) => changes.list(id, since),
    file: (id, since, path) => changes.file(id, since, path),
    remove: (id) => changes.remove(id),
    resume() {
      const alive = [...ledger.views().values()].map(({ session }) => session).filter(isWatched)
      for (const session of alive) begin(session, true)
      const isAlive = new Set(alive.map(({ id }) => id))
      changes
        .open()
        .then((ids) => {
          for (const id of ids) if (!isAlive.has(id) && !ledger.views().has(id)) void note(id, () => changes.end(id))
        })
        .catch((error: unknown) => warn('files_not_noted', { error: String(error) }))
    },
    async close() {
      isClosed = true
      unsubscribe()
      await changes.close()
    },
  }
}
