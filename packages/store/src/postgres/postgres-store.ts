import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type {
  AskTrail,
  HistoryChoices,
  HistoryPage,
  HistoryQuery,
  LetThroughCounts,
  LetThroughQuery,
} from '@holdpoint/core/history'
import type { PastCalls } from '@holdpoint/core/policy/dry-run'
import type { AllowedCalls } from '@holdpoint/core/policy/suggestions'
import type { Retirement } from '@holdpoint/core/retirement'
import {
  type Append,
  type AppendResult,
  type AskQuery,
  type AskRecord,
  type ChainFault,
  type ChainReport,
  type EventQuery,
  type ItemQuery,
  type LiveSession,
  type PastCallQuery,
  type Records,
  type SessionPage,
  type SessionQuery,
  type Store,
  StoreFault,
} from '@holdpoint/core/store'
import type { UsageCounts, UsageQuery } from '@holdpoint/core/usage-counts'
import type { Stored } from '@holdpoint/schema/event'
import type { AskId, ItemId, NodeId, SessionId } from '@holdpoint/schema/id'
import type { Item, ItemPage } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { Commits } from '../commits.ts'
import { followLog } from '../follow-log.ts'
import { refuseBroken } from '../record-damage.ts'
import { LOCK } from './append-functions.ts'
import { backOff } from './back-off.ts'
import { PostgresDatabase, type Query } from './database.ts'
import { PostgresHistory } from './history.ts'
import { CHANNELS, PostgresListener } from './listener.ts'
import { readLiveSession } from './live-session.ts'
import { LogPlace } from './log-place.ts'
import { NodeLife } from './node-life.ts'
import { openDatabase, type PostgresStoreOptions } from './open-database.ts'
import { PostgresPastCalls } from './past-calls.ts'
import { PostgresReader } from './reader.ts'
import { RecordChanges } from './record-changes.ts'
import { createPostgresRecords } from './records.ts'
import { PostgresRetirement } from './retirement.ts'
import { checkSession } from './session-log.ts'
import { postgresUsage } from './usage.ts'
import { verifyLog } from './verify.ts'
import { PostgresWriter } from './writer.ts'

export interface PostgresStore extends Store {
  /** What does not forbid the start, but has to be said to whoever runs the gateway. */
  readonly warnings: readonly string[]
  /** By the database's clock, in milliseconds: what an event's `at` is compared with. */
  now(): number
  /** Whose the sessions are that name no node: those of a log that was moved here. */
  setHome(node: NodeId): Promise<void>
  /** Ends the lives of all other nodes: one that nobody has heard of for a while writes nothing when it goes on. */
  endOthers(): Promise<void>
}

/**
 * The log in PostgreSQL, for several gateways at a time. Throws a `StoreFault` rather than start on a database that is newer,
 * somebody else's, or on a server that could lose what it has committed.
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { store, parts } = await openStore(options)
  const { listener, place, commits } = parts
  await listener.run({
    heard: (channel) => channel === CHANNELS.commits && commits.announce(),
    async look(query, options) {
      if (await place.look(query, options)) commits.announce()
    },
  })
  return store
}

/** With its parts, for whoever takes part in the cluster. The listener is for the caller to run. */
export async function openStore(
  options: PostgresStoreOptions,
): Promise<{ readonly store: PostgresStore; readonly parts: StoreParts }> {
  const { address, warnings } = await openDatabase(options)
  const { node, version, onFenced, checkTimes = true, signal } = options
  const place = new LogPlace()
  const onBegin = (query: Query) => place.compare(query)
  const life = new NodeLife({ address, node, version, onBegin, ...(onFenced && { onFenced }) })
  place.onReplaced((fault) => life.end(fault))
  const settle = async () => {
    place.refuse()
    await life.settle()
  }
  const parts: StoreParts = {
    db: new PostgresDatabase(address, { settle, onBegin }),
    life,
    listener: new PostgresListener(address),
    commits: new Commits(),
    changes: new RecordChanges(),
    place,
    warnings,
    writer: new PostgresWriter(life, { checkTimes }),
  }
  const store = new SharedStore(parts)
  try {
    // First: a start that is refused for its connection must not end the life of another gateway.
    await parts.listener.start()
    await life.begin()
    signal?.throwIfAborted()
    return { store, parts }
  } catch (error) {
    await store.close()
    throw error
  }
}

interface StoreParts {
  readonly db: PostgresDatabase
  readonly life: NodeLife
  readonly listener: PostgresListener
  readonly commits: Commits
  readonly changes: RecordChanges
  readonly place: LogPlace
  readonly writer: PostgresWriter
  readonly warnings: readonly string[]
}

class SharedStore implements PostgresStore {
  readonly records: Records
  readonly retirement: Retirement
  readonly warnings: readonly string[]
  readonly #parts: StoreParts
  /** Sessions that were found damaged here after they had ended. */
  readonly #damaged = new Map<string, ChainFault>()
  readonly #reader: PostgresReader
  readonly #history: PostgresHistory
  readonly #pastCalls: PostgresPastCalls
  /** Sessions that were found whole here, or begun here: what gateways write to them keeps them so. */
  readonly #whole = new Set<SessionId>()
  readonly #checks = new Map<SessionId, Promise<ChainFault | undefined>>()

  constructor(parts: StoreParts) {
    const { db, life, changes, warnings } = parts
    this.#parts = parts
    this.warnings = warnings
    this.#reader = new PostgresReader(db.query, this.#damaged)
    this.#history = new PostgresHistory(db, this.#reader)
    this.#pastCalls = new PostgresPastCalls(db, this.#reader)
    this.records = createPostgresRecords(db, life, changes)
    this.retirement = new PostgresRetirement(db, (id) => this.#faultOf(id))
  }

  now(): number {
    return this.#parts.life.now()
  }

  async setHome(node: NodeId): Promise<void> {
    await this.#parts.db.change((query) => query('UPDATE cluster SET home = $1', [node]))
  }

  async endOthers(): Promise<void> {
    const { db, life, place } = this.#parts
    const name = randomUUID()
    place.accept(name)
    await db.change(async (query) => {
      await query(`SELECT pg_advisory_xact_lock(${LOCK})`)
      await query('UPDATE nodes SET epoch = epoch + 1 WHERE id <> $1', [life.node])
      // They would begin new lives, on what each new connection takes for another log then.
      await query('UPDATE cluster SET id = $1', [name])
    })
  }

  async append(appends: readonly Append[]): Promise<readonly AppendResult[]> {
    const results = await this.#parts.writer.append(appends)
    for (const result of results) {
      if (!result.ok) continue
      for (const stored of result.stored) {
        this.#parts.place.note(stored)
        if (stored.event.type === 'session-started') this.#whole.add(stored.event.sessionId)
      }
    }
    this.#parts.commits.announce()
    return results
  }

  async events(query: EventQuery): Promise<readonly Stored[]> {
    const page = await this.#reader.events(query)
    this.#parts.place.note(page.at(-1))
    return page
  }

  async *follow(after: number, { signal }: { signal: AbortSignal }): AsyncIterable<Stored> {
    const { commits, db } = this.#parts
    if (db.isClosed) throw new StoreFault('closed', 'The store is closed.')
    let failures = 0
    // While the server is away there is nothing to give. Whoever follows wants what comes after, not an error for each attempt.
    const read = async (query: EventQuery): Promise<readonly Stored[]> => {
      for (;;) {
        try {
          const page = await this.events(query)
          failures = 0
          return page
        } catch (error) {
          if (signal.aborted || commits.closed) return []
          if (!(error instanceof StoreFault) || (error.code !== 'io' && error.code !== 'busy')) throw error
          await sleep(backOff(failures++), undefined, { signal }).catch(() => {})
        }
      }
    }
    yield* followLog({ after, signal, commits, read })
  }

  lastSeq(): Promise<number> {
    return this.#reader.lastSeq()
  }

  async liveSessions(): Promise<readonly LiveSession[]> {
    const found: LiveSession[] = []
    for (const id of await this.#reader.liveIds()) {
      const live = await this.#parts.db.snapshot(async (query) => {
        refuseBroken(this.#damaged.get(id) ?? (await checkSession(query, id)))
        return readLiveSession(query, id, this.#damaged)
      })
      this.#whole.add(id)
      // One that has ended since its name was read is not one of them any more.
      if (live && live.session.state !== 'dead') found.push(live)
    }
    return found
  }

  async liveSession(id: SessionId): Promise<LiveSession | undefined> {
    // One that is over was not checked at the start, and may be about to go on.
    if ((await this.#reader.session(id))?.state === 'dead') refuseBroken(await this.#faultOf(id))
    return this.#parts.db.snapshot((query) => readLiveSession(query, id, this.#damaged))
  }

  async hashAt(seq: number): Promise<string | undefined> {
    const hash = await this.#reader.hashAt(seq)
    if (hash !== undefined) this.#parts.place.note({ seq, hash })
    return hash
  }

  endedSessions(query: SessionQuery): Promise<SessionPage> {
    return this.#reader.endedSessions(query)
  }

  endedSessionsOf(vendorSessionId: string): Promise<readonly Session[]> {
    return this.#reader.endedSessionsOf(vendorSessionId)
  }

  session(id: SessionId): Promise<Session | undefined> {
    return this.#reader.session(id)
  }

  ask(id: AskId): Promise<AskRecord | undefined> {
    return this.#reader.ask(id)
  }

  askByRequest(key: { sessionId: SessionId; epoch: number; requestId: string }): Promise<AskRecord | undefined> {
    return this.#reader.askByRequest(key)
  }

  askByToolUse(key: { sessionId: SessionId; epoch: number; toolUseId: string }): Promise<AskRecord | undefined> {
    return this.#reader.askByToolUse(key)
  }

  firstAskByToolUse(key: { sessionId: SessionId; toolUseId: string }): Promise<AskRecord | undefined> {
    return this.#reader.firstAskByToolUse(key)
  }

  asks(query: AskQuery): Promise<readonly AskRecord[]> {
    return this.#reader.asks(query)
  }

  async history(query: HistoryQuery, { signal }: { signal?: AbortSignal } = {}): Promise<HistoryPage> {
    await this.indexHistory({ pause: setImmediate, ...(signal && { signal }) })
    return this.#history.page(query, async () => signal?.throwIfAborted())
  }

  async historyChoices({ sessionIds }: Pick<HistoryQuery, 'sessionIds'>): Promise<HistoryChoices> {
    await this.indexHistory({ pause: setImmediate })
    return this.#history.choices(sessionIds)
  }

  async usage(query: UsageQuery): Promise<UsageCounts> {
    return postgresUsage(this.#parts.db, query)
  }

  async letThrough(query: LetThroughQuery): Promise<LetThroughCounts> {
    await this.indexHistory({ pause: setImmediate })
    return this.#history.letThrough(query, setImmediate)
  }

  async indexHistory({ pause, signal }: { pause: () => Promise<unknown>; signal?: AbortSignal }): Promise<void> {
    while (await this.#history.add()) {
      await pause()
      signal?.throwIfAborted()
    }
  }

  async indexCalls(
    take: Parameters<Store['indexCalls']>[0],
    { pause, signal }: Parameters<Store['indexCalls']>[1],
  ): Promise<void> {
    while (await this.#pastCalls.add(take)) {
      await pause()
      signal?.throwIfAborted()
    }
  }

  pastCalls(query: PastCallQuery): Promise<readonly PastCalls[]> {
    return this.#pastCalls.past(query, setImmediate)
  }

  allowedCalls(query: { min: number }): Promise<readonly AllowedCalls[]> {
    return this.#pastCalls.allowed(query, setImmediate)
  }

  askTrail(id: AskId): Promise<AskTrail | undefined> {
    return this.#history.trail(id)
  }

  items(query: ItemQuery): Promise<ItemPage> {
    return this.#reader.items(query)
  }

  item(key: { sessionId: SessionId; id: ItemId }): Promise<Item | undefined> {
    return this.#reader.item(key)
  }

  verify({ pause, signal }: Parameters<Store['verify']>[0] = {}): Promise<ChainReport> {
    const step = async () => {
      await (pause ?? setImmediate)()
      signal?.throwIfAborted()
    }
    return verifyLog(this.#parts.db, { step, found: (fault) => this.#noteDamage(fault) })
  }

  async close(): Promise<void> {
    const { changes, commits, db, life, listener } = this.#parts
    commits.close()
    changes.close()
    await Promise.all([life.close(), listener.close(), db.close()])
  }

  /** Coalesced: one check for any number of calls, so that readers of a long session cannot keep the gateway busy with it. */
  async #faultOf(id: SessionId): Promise<ChainFault | undefined> {
    const known = this.#damaged.get(id)
    if (known || this.#whole.has(id)) return known
    const check =
      this.#checks.get(id) ??
      this.#parts.db.snapshot((query) => checkSession(query, id)).finally(() => this.#checks.delete(id))
    this.#checks.set(id, check)
    const fault = await check
    if (fault) await this.#noteDamage(fault)
    else this.#whole.add(id)
    return fault
  }

  /** From now on nothing of it is read. One that goes on was whole when it was taken up, and is left to the next start. */
  async #noteDamage(fault: ChainFault): Promise<void> {
    const [row] = await this.#parts.db.query<{ state: string }>('SELECT state FROM sessions WHERE id = $1', [
      fault.sessionId,
    ])
    if (row?.state === 'dead') this.#damaged.set(fault.sessionId, fault)
  }
}
