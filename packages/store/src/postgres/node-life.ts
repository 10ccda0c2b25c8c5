import { setTimeout as sleep } from 'node:timers/promises'
import { CommitInDoubt, StoreFault } from '@holdpoint/core/store'
import { createTurn } from '@holdpoint/core/turns'
import type pg from 'pg'
import { addressName, type PostgresAddress } from './address.ts'
import { backOff } from './back-off.ts'
import { connectPostgres, dropConnection, endConnection } from './connection.ts'
import { prepared, type Query, type SqlParameter } from './database.ts'
import { isRefusedByServer, postgresFault } from './fault.ts'

/** How long a commit whose reply was lost is asked for, before nobody can say what became of it. */
const DOUBT_MS = 10_000

export interface NodeOptions {
  readonly address: PostgresAddress
  readonly node: string
  readonly version: string
  readonly onFenced?: (fault: StoreFault) => void
  /** At the begin of each life, before anything is written in it. Throws where nothing may be. */
  readonly onBegin: (query: Query) => Promise<unknown>
}

/** What became of a commit whose reply was lost, found by a life that comes after it: `undefined` for nothing. */
export type Look<Result> = (query: Query) => Promise<Result | undefined>

/**
 * This gateway as the database knows it, with the one connection that it writes through. Each new connection begins a new
 * life: it claims the node, so that whatever an older one still has under way has either committed before or never does.
 */
export class NodeLife {
  readonly #options: NodeOptions
  readonly #stop = new AbortController()
  #client: pg.Client | undefined
  #epoch = 0
  #clockOffset = 0
  readonly #inTurn = createTurn()
  /** Why nothing is read or written through it any more. */
  #over: StoreFault | undefined
  /** Set from a lost reply until a later life has begun. */
  #isInDoubt = false
  #lives = 0

  constructor(options: NodeOptions) {
    this.#options = options
  }

  get node(): string {
    return this.#options.node
  }

  get isOver(): boolean {
    return this.#over !== undefined
  }

  get epoch(): number {
    return this.#epoch
  }

  /** Changes with each new life: what was remembered of the tables may then be out of date. */
  get lives(): number {
    return this.#lives
  }

  /** By the database's clock, in milliseconds. Only the time that passes is this machine's: setting its clock changes nothing. */
  now(): number {
    return Math.round(performance.now() + this.#clockOffset)
  }

  /** Reads the database's clock again: this machine's own stands still while it sleeps. */
  async readClock(): Promise<void> {
    await this.read((query) => this.#setClock(query))
  }

  /** What the database's clock said between two moments of `performance.now()`: no more than that is known, after a slow answer. */
  setClock(now: number, { after, before }: { readonly after: number; readonly before: number }): void {
    this.#clockOffset = Math.min(Math.max(this.#clockOffset, now - before), now - after)
  }

  /** Ends this life if another gateway has begun a later one of the same node. */
  async check(): Promise<void> {
    const [row] = await this.read((query) => query<{ epoch: number }>(SELECT_EPOCH, [this.#options.node]))
    if (row && row.epoch !== this.#epoch) this.#fence()
  }

  begin(): Promise<void> {
    return this.#inTurn(async () => void (await this.#connected()))
  }

  /** For good, for this reason. What is under way is in doubt then. */
  end(fault: StoreFault): void {
    this.#over ??= fault
    if (this.#client) this.#drop(this.#client)
  }

  /** Before anything is read: while a commit is in doubt, only a new life makes what the log says final. */
  async settle(): Promise<void> {
    if (this.#isInDoubt) await this.begin()
  }

  /** Reads through the writing connection, in a life that has begun. */
  read<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      for (let isAgain = false; ; isAgain = true) {
        const client = await this.#connected()
        try {
          return await work((text, values) => this.#send(client, text, values))
        } catch (error) {
          if (isRefusedByServer(error)) throw this.#faultOf(error)
          // One that had ended while nobody used it.
          this.#drop(client)
          if (isAgain) throw this.#faultOf(error)
        }
      }
    })
  }

  /**
   * One statement that commits; its first two values are this node and its life. Gives what it gave back, or what `look` finds once the reply was lost. Throws a `StoreFault`:
   * nothing was written. Throws a `CommitInDoubt`: the database could not be reached again.
   */
  commit<Row extends pg.QueryResultRow, Result>(
    statement: { readonly text: string; readonly values: readonly SqlParameter[] },
    look: Look<Result>,
  ): Promise<{ readonly row: Row } | { readonly found: Result }> {
    return this.#inTurn(async () => {
      const client = await this.#connected()
      const values = [this.#options.node, this.#epoch, ...statement.values]
      let row: (Row & { readonly verdict: string }) | undefined
      try {
        row = (await this.#send<Row & { verdict: string }>(client, statement.text, values))[0]
      } catch (error) {
        if (isRefusedByServer(error)) throw this.#faultOf(error)
        this.#drop(client)
        this.#isInDoubt = true
        return { found: await this.#findOut(look, this.#faultOf(error)) }
      }
      if (!row) throw new Error('a commit gives one row')
      if (row.verdict === 'fenced') throw this.#fence()
      if (row.verdict === 'format') throw this.#newerFormat()
      return { row }
    })
  }

  /** What is under way is waited for, so that its caller hears what became of it. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#inTurn(async () => {
      const client = this.#client
      this.#client = undefined
      if (client) await endConnection(client)
    })
  }

  async #findOut<Result>(look: Look<Result>, lost: StoreFault): Promise<Result> {
    const until = performance.now() + DOUBT_MS
    for (let attempt = 0; ; attempt++) {
      try {
        const client = await this.#connected()
        const found = await look((text, values) => this.#send(client, text, values))
        if (found !== undefined) return found
        break
      } catch (error) {
        if (this.#client) this.#drop(this.#client)
        this.#isInDoubt = true
        if (this.#over || this.#stop.signal.aborted || performance.now() > until)
          throw new CommitInDoubt(this.#faultOf(error))
        await sleep(backOff(attempt), undefined, { signal: this.#stop.signal }).catch(() => {})
      }
    }
    throw new StoreFault(lost.code, `${lost.message} Nothing was written.`, { cause: lost })
  }

  async #connected(): Promise<pg.Client> {
    if (this.#stop.signal.aborted) throw new StoreFault('closed', 'The store is closed.')
    if (this.#over) throw this.#over
    if (this.#client) return this.#client
    const client = await connectPostgres(this.#options.address, (ended) => {
      if (this.#client === ended) this.#client = undefined
    })
    try {
      const { node, version } = this.#options
      const [life] = await this.#send<{ epoch: number }>(client, CLAIM, [node, version])
      const query: Query = (text, values) => this.#send(client, text, values)
      await this.#setClock(query)
      await this.#options.onBegin(query)
      this.#epoch = life?.epoch ?? 0
    } catch (error) {
      dropConnection(client)
      throw this.#faultOf(error)
    }
    this.#lives++
    this.#isInDoubt = false
    this.#client = client
    return client
  }

  async #setClock(query: Query): Promise<void> {
    const after = performance.now()
    const [clock] = await query<{ now: number }>(NOW)
    if (clock) this.setClock(clock.now, { after, before: performance.now() })
  }

  #send<Row extends pg.QueryResultRow>(
    client: pg.Client,
    text: string,
    values?: readonly SqlParameter[],
  ): Promise<readonly Row[]> {
    return prepared(client)<Row>(text, values)
  }

  #drop(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined
    dropConnection(client)
  }

  #fence(): StoreFault {
    const fault = new StoreFault(
      'fenced',
      `Another gateway uses this node's identity (${this.#options.node}): was its data folder copied? This one writes nothing more. Stop one of them, and give it a data folder of its own.`,
    )
    this.#over ??= fault
    this.#options.onFenced?.(fault)
    return fault
  }

  #newerFormat(): StoreFault {
    const name = addressName(this.#options.address)
    return new StoreFault('newer-schema', `A newer Holdpoint has changed the format of ${name}. Update Holdpoint here.`)
  }

  #faultOf(error: unknown): StoreFault {
    return postgresFault(error, addressName(this.#options.address))
  }
}

const CLAIM = 'SELECT my_epoch AS epoch FROM claim($1, $2)'
const SELECT_EPOCH = 'SELECT epoch FROM nodes WHERE id = $1'
const NOW = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now'
