import { setTimeout as sleep } from 'node:timers/promises'
import { StoreFault } from '@holdpoint/core/store'
import pg from 'pg'
import { sha256 } from '../log-row.ts'
import { addressName, type PostgresAddress } from './address.ts'
import { ArchivedTexts } from './archived-texts.ts'
import { clientConfig } from './connection.ts'
import { isRefusedByServer, postgresFault } from './fault.ts'
import { provenClient } from './proven-client.ts'

const READERS = 4
const END_MS = 1_000

export type SqlParameter = string | number | boolean | null | Buffer | readonly (string | number | boolean | null)[]

/** Runs a statement. The row's type is the caller's word for what its own SQL selects. */
export type Query = <Row extends pg.QueryResultRow>(
  text: string,
  values?: readonly SqlParameter[],
) => Promise<readonly Row[]>

/** The connections for everything but appends and changes of records. Each statement sees what was committed before it. */
export class PostgresDatabase {
  readonly #pool: pg.Pool
  readonly #name: string
  readonly #settle: () => Promise<unknown>
  readonly #onBegin: (query: Query) => Promise<unknown>
  readonly #texts = new ArchivedTexts()
  readonly #begun = new WeakSet<pg.PoolClient>()
  #isClosed = false

  constructor(
    address: PostgresAddress,
    {
      settle,
      onBegin,
    }: {
      /** Waited for before each use, so that nothing is read while it is unknown what a commit has become. */
      readonly settle: () => Promise<unknown>
      /** At the begin of each connection, before anything is read on it. Throws where nothing may be. */
      readonly onBegin: (query: Query) => Promise<unknown>
    },
  ) {
    this.#name = addressName(address)
    this.#settle = settle
    this.#onBegin = onBegin
    this.#pool = new pg.Pool({
      ...clientConfig(address),
      Client: provenClient(address),
      max: READERS,
      idleTimeoutMillis: 60_000,
    })
    // One that ends while nobody uses it is replaced when it is needed.
    this.#pool.on('error', () => {})
    // One that ends while it is used: whoever uses it is told, and without a listener the event would end the process.
    this.#pool.on('connect', (client) => void client.on('error', () => {}))
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  readonly query: Query = (text, values) => this.#guard((client) => this.#texts.within(prepared(client))(text, values))

  /** For what must not be done twice: not sent again where the connection had ended. */
  readonly queryOnce: Query = (text, values) =>
    this.#guard((client) => prepared(client)(text, values), { isOnce: true })

  /** Several statements that see the same moment. */
  snapshot<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work)
  }

  /** For what is no part of the log, and can be made again. */
  change<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#transaction('BEGIN', work)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    // Not for long: a server that is not there says nothing to a goodbye.
    await Promise.race([this.#pool.end(), sleep(END_MS, undefined, { ref: false })])
  }

  #transaction<Result>(begin: string, work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#guard(async (client) => {
      await client.query(begin)
      const result = await work(this.#texts.within(prepared(client)))
      await client.query('COMMIT')
      return result
    })
  }

  async #guard<Result>(
    work: (client: pg.PoolClient) => Promise<Result>,
    { isOnce }: { readonly isOnce: boolean } = { isOnce: false },
  ): Promise<Result> {
    for (let isLast = isOnce; ; isLast = true) {
      if (this.#isClosed) throw new StoreFault('closed', 'The store is closed.')
      let client: pg.PoolClient | undefined
      try {
        await this.#settle()
        client = await this.#pool.connect()
        if (!this.#begun.has(client)) await this.#onBegin(prepared(client))
        this.#begun.add(client)
        const result = await work(client)
        client.release()
        return result
      } catch (error) {
        // What is left of a transaction goes with its connection.
        client?.release(true)
        if (error instanceof StoreFault || (client && !isOfDriver(error))) throw error
        // One that had ended while it was idle: what can be done twice is tried on another one.
        if (client && !isLast && !isRefusedByServer(error)) continue
        if (this.#isClosed) throw new StoreFault('closed', 'The store is closed.')
        throw postgresFault(error, this.#name)
      }
    }
  }
}

const NAMES = new Map<string, string>()

/** Parsed and planned once for each connection. One statement at a time: whoever shares a connection has to take turns. */
export function prepared(client: pg.ClientBase): Query {
  return async <Row extends pg.QueryResultRow>(text: string, values: readonly SqlParameter[] = []) => {
    let name = NAMES.get(text)
    if (name === undefined) {
      name = sha256(text).slice(0, 32)
      NAMES.set(text, name)
    }
    const { rows } = await client.query<Row>({ name, text, values: [...values] })
    return rows
  }
}

/** A bug of ours is no fault of the database. */
function isOfDriver(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return true
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError)
}
