import { setImmediate } from 'node:timers/promises'
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
import type {
  Append,
  AppendResult,
  AskQuery,
  AskRecord,
  ChainFault,
  ChainReport,
  EventQuery,
  ItemQuery,
  LiveSession,
  PastCallQuery,
  Records,
  SessionPage,
  SessionQuery,
  Store,
} from '@holdpoint/core/store'
import type { UsageCounts, UsageQuery } from '@holdpoint/core/usage-counts'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { AskId, ItemId, SessionId } from '@holdpoint/schema/id'
import type { Item, ItemPage } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { readAccepted } from './accepted-damage.ts'
import { Commits } from './commits.ts'
import type { DataLock } from './data-lock.ts'
import { followLog } from './follow-log.ts'
import { refuseBroken } from './record-damage.ts'
import { runToEnd } from './run-to-end.ts'
import { SqliteCalls } from './sqlite-calls.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { loadSqliteDriver, type SqliteDriver } from './sqlite-driver.ts'
import { SqliteHistory } from './sqlite-history.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { createSqliteRecords } from './sqlite-records.ts'
import { SqliteRetirement } from './sqlite-retirement.ts'
import { checkSession } from './sqlite-session-check.ts'
import { SqliteToolUses } from './sqlite-tool-uses.ts'
import { sqliteUsage } from './sqlite-usage.ts'
import { checkFile, verifyLog } from './sqlite-verify.ts'
import { SqliteWriter } from './sqlite-writer.ts'

export interface SqliteStoreOptions {
  /** The database file. Its folder must exist and be held with `lockDataFolder`. */
  readonly path: string
  readonly driver?: SqliteDriver
  /** Checked before every use of the file: a gateway that has lost the folder reads and writes nothing (F27). */
  readonly lock?: Pick<DataLock, 'check'>
}

/** Throws a `StoreFault` rather than start on a file that is damaged, newer, or somebody else's. */
export async function openSqliteStore({ path, driver, lock }: SqliteStoreOptions): Promise<Store> {
  const file = { path, driver: driver ?? (await loadSqliteDriver()), ...(lock && { checkLock: lock.check }) }
  return new SqliteStore(new SqliteDatabase(file))
}

class SqliteStore implements Store {
  readonly records: Records
  readonly retirement: Retirement
  readonly #db: SqliteDatabase
  /** Sessions that are known to be damaged: somebody has accepted it, or it was found here after they had ended. */
  readonly #damaged: Map<string, ChainFault>
  readonly #writer: SqliteWriter
  readonly #reader: SqliteReader
  readonly #toolUses: SqliteToolUses
  readonly #history: SqliteHistory
  readonly #calls: SqliteCalls
  readonly #commits = new Commits()
  /** Sessions that were found whole here, or begun here: only this process writes to the file, so they stay so. */
  readonly #whole = new Set<SessionId>()
  readonly #checks = new Map<SessionId, Promise<ChainFault | undefined>>()

  constructor(db: SqliteDatabase) {
    this.#db = db
    this.#writer = new SqliteWriter(db)
    // Once: damage is accepted while no gateway has the file.
    this.#damaged = new Map(db.guard(() => readAccepted(db)))
    this.#reader = new SqliteReader(db, this.#damaged)
    this.#toolUses = new SqliteToolUses(db)
    this.#history = new SqliteHistory(db, this.#reader)
    this.#calls = new SqliteCalls(db, this.#reader)
    this.records = createSqliteRecords(db)
    this.retirement = new SqliteRetirement(db, { writer: this.#writer, faultOf: (id) => this.#faultOf(id) })
  }

  async append(appends: readonly Append[]): Promise<readonly AppendResult[]> {
    const results = this.#writer.append(appends)
    for (const result of results) if (result.ok) for (const { event } of result.stored) this.#note(event)
    this.#commits.announce()
    return results
  }

  async events(query: EventQuery): Promise<readonly Stored[]> {
    return this.#db.guard(() => this.#reader.events(query))
  }

  async *follow(after: number, options: { signal: AbortSignal }): AsyncIterable<Stored> {
    const read = (query: EventQuery) => this.events(query)
    yield* followLog({ after, signal: options.signal, commits: this.#commits, read })
  }

  async lastSeq(): Promise<number> {
    return this.#writer.lastSeq()
  }

  async liveSessions(): Promise<readonly LiveSession[]> {
    return this.#db.guard(() => {
      for (const id of this.#reader.liveIds()) {
        refuseBroken(this.#damaged.get(id) ?? runToEnd(checkSession(this.#db, id)))
        this.#whole.add(id)
      }
      return this.#reader.liveSessions()
    })
  }

  async liveSession(id: SessionId): Promise<LiveSession | undefined> {
    // One that is over was not checked at the start, and may be about to go on.
    if (this.#db.guard(() => this.#reader.session(id))?.state === 'dead') refuseBroken(await this.#faultOf(id))
    return this.#db.guard(() => this.#reader.liveSession(id))
  }

  async hashAt(seq: number): Promise<string | undefined> {
    return this.#db.guard(() => this.#reader.hashAt(seq))
  }

  async endedSessions(query: SessionQuery): Promise<SessionPage> {
    return this.#db.guard(() => this.#reader.endedSessions(query))
  }

  async endedSessionsOf(vendorSessionId: string): Promise<readonly Session[]> {
    return this.#db.guard(() => this.#reader.endedSessionsOf(vendorSessionId))
  }

  async session(id: SessionId): Promise<Session | undefined> {
    return this.#db.guard(() => this.#reader.session(id))
  }

  async ask(id: AskId): Promise<AskRecord | undefined> {
    return this.#db.guard(() => this.#reader.ask(id))
  }

  async askByRequest(key: { sessionId: SessionId; epoch: number; requestId: string }): Promise<AskRecord | undefined> {
    return this.#db.guard(() => this.#reader.askByRequest(key))
  }

  async askByToolUse(key: { sessionId: SessionId; epoch: number; toolUseId: string }): Promise<AskRecord | undefined> {
    return this.#db.guard(() => {
      for (const id of this.#toolUses.find(key)) {
        const record = this.#reader.ask(id)
        if (record?.ask.raisedBy === undefined) return record
      }
      return undefined
    })
  }

  async firstAskByToolUse(key: { sessionId: SessionId; toolUseId: string }): Promise<AskRecord | undefined> {
    return this.#db.guard(() => this.#reader.firstAskByToolUse(key))
  }

  async asks(query: AskQuery): Promise<readonly AskRecord[]> {
    return this.#inSteps(this.#reader.asks(query))
  }

  async history(query: HistoryQuery, { signal }: { signal?: AbortSignal } = {}): Promise<HistoryPage> {
    await this.indexHistory({ pause: setImmediate, ...(signal && { signal }) })
    return this.#inSteps(this.#history.page(query), signal)
  }

  async historyChoices({ sessionIds }: Pick<HistoryQuery, 'sessionIds'>): Promise<HistoryChoices> {
    await this.indexHistory({ pause: setImmediate })
    return this.#db.guard(() => this.#history.choices(sessionIds))
  }

  async usage(query: UsageQuery): Promise<UsageCounts> {
    return this.#db.guard(() => sqliteUsage(this.#db, query))
  }

  async letThrough(query: LetThroughQuery): Promise<LetThroughCounts> {
    await this.indexHistory({ pause: setImmediate })
    return this.#inSteps(this.#history.letThrough(query))
  }

  async indexHistory({ pause, signal }: { pause: () => Promise<unknown>; signal?: AbortSignal }): Promise<void> {
    while (this.#history.add()) {
      await pause()
      signal?.throwIfAborted()
    }
  }

  async indexCalls(
    take: Parameters<Store['indexCalls']>[0],
    { pause, signal }: Parameters<Store['indexCalls']>[1],
  ): Promise<void> {
    while (this.#calls.add(take)) {
      await pause()
      signal?.throwIfAborted()
    }
  }

  async pastCalls(query: PastCallQuery): Promise<readonly PastCalls[]> {
    return this.#inSteps(this.#calls.past(query))
  }

  async allowedCalls(query: { min: number }): Promise<readonly AllowedCalls[]> {
    return this.#inSteps(this.#calls.allowed(query))
  }

  async askTrail(id: AskId): Promise<AskTrail | undefined> {
    return this.#inSteps(this.#history.trail(id))
  }

  async items(query: ItemQuery): Promise<ItemPage> {
    return this.#db.guard(() => this.#reader.items(query))
  }

  async item(key: { sessionId: SessionId; id: ItemId }): Promise<Item | undefined> {
    return this.#db.guard(() => this.#reader.item(key))
  }

  async verify({ pause, signal }: Parameters<Store['verify']>[0] = {}): Promise<ChainReport> {
    const steps = verifyLog(this.#db, (fault) => this.#noteDamage(fault))
    for (;;) {
      const step = this.#db.guard(() => steps.next())
      if (step.done) return pause ? step.value : this.#withFile(step.value)
      await (pause ?? setImmediate)()
      signal?.throwIfAborted()
    }
  }

  async close(): Promise<void> {
    this.#commits.close()
    this.#db.close()
  }

  #withFile(report: ChainReport): ChainReport {
    const problem = report.fault ? undefined : this.#db.guard(() => checkFile(this.#db))
    if (problem === undefined) return report
    const { head, ...found } = report
    return { ...found, fault: { sessionId: '', seq: report.events, sessionSeq: 0, problem } }
  }

  #note(event: DurableEvent): void {
    this.#toolUses.note(event)
    if (event.type === 'session-started') this.#whole.add(event.sessionId)
  }

  /** Coalesced: one check for any number of calls, so that readers of a long session cannot keep the gateway busy with it. */
  async #faultOf(id: SessionId): Promise<ChainFault | undefined> {
    const known = this.#damaged.get(id)
    if (known || this.#whole.has(id)) return known
    const check =
      this.#checks.get(id) ?? this.#inSteps(checkSession(this.#db, id)).finally(() => this.#checks.delete(id))
    this.#checks.set(id, check)
    const fault = await check
    if (fault) this.#db.guard(() => this.#noteDamage(fault))
    else this.#whole.add(id)
    return fault
  }

  /** From now on nothing of it is read. One that goes on was whole when it was taken up, and is left to the next start. */
  #noteDamage(fault: ChainFault): void {
    const row = this.#db.get<{ state: string }>('SELECT state FROM sessions WHERE id = ?', [fault.sessionId])
    if (row?.state === 'dead') this.#damaged.set(fault.sessionId, fault)
  }

  /** With the work of others in between. */
  async #inSteps<Result>(steps: Generator<void, Result>, signal?: AbortSignal): Promise<Result> {
    for (;;) {
      const step = this.#db.guard(() => steps.next())
      if (step.done) return step.value
      await setImmediate()
      signal?.throwIfAborted()
    }
  }
}
