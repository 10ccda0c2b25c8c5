import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreFault } from '@holdpoint/core/store'
import type pg from 'pg'
import { addressName, type PostgresAddress } from './address.ts'
import { backOff } from './back-off.ts'
import { connectPostgres, dropConnection, endConnection } from './connection.ts'
import { postgresFault } from './fault.ts'

const CHANNEL = 'holdpoint'
/** So often the log is looked at without being told to: a notification may be lost with its connection. */
const LOOK_MS = 1_000
const PROBE_MS = 5_000

/** Hears of commits: of those that are notified, at each new connection, and by a look once a second. */
export class PostgresListener {
  readonly #address: PostgresAddress
  readonly #onCommit: () => void
  readonly #stop = new AbortController()
  #client: pg.Client | undefined
  #lastSeq = 0
  #running: Promise<void> = Promise.resolve()

  constructor(address: PostgresAddress, onCommit: () => void) {
    this.#address = address
    this.#onCommit = onCommit
  }

  /** Refuses a connection whose server does not hold on to it: what is listened for there is never heard. */
  async start(): Promise<void> {
    const ended = new AbortController()
    const client = await connectPostgres(this.#address, () => ended.abort())
    try {
      await refusePooler(client, addressName(this.#address))
    } catch (error) {
      dropConnection(client)
      throw postgresFault(error, addressName(this.#address))
    }
    this.#running = this.#run(client, ended.signal)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    if (this.#client) await endConnection(this.#client)
    await this.#running
  }

  /** For as long as the store is open, on one connection after the other. */
  async #run(first: pg.Client, firstEnded: AbortSignal): Promise<void> {
    let connected: { client: pg.Client; ended: AbortSignal } | undefined = { client: first, ended: firstEnded }
    for (let attempt = 0; !this.#stop.signal.aborted; ) {
      try {
        connected ??= await this.#connect()
        attempt = 0
        await this.#listen(connected.client, connected.ended)
      } catch {
        // The connection is gone. What it would have told of is read at the next one.
      }
      if (connected) dropConnection(connected.client)
      connected = undefined
      await sleep(backOff(attempt++), undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  async #connect(): Promise<{ client: pg.Client; ended: AbortSignal }> {
    const ended = new AbortController()
    const client = await connectPostgres(this.#address, () => ended.abort())
    return { client, ended: ended.signal }
  }

  async #listen(client: pg.Client, ended: AbortSignal): Promise<void> {
    this.#client = client
    if (this.#stop.signal.aborted) return
    client.on('notification', () => this.#onCommit())
    await client.query(`LISTEN ${CHANNEL}`)
    const signal = AbortSignal.any([ended, this.#stop.signal])
    while (!signal.aborted) {
      const { rows } = await client.query<{ seq: number }>(SELECT_LAST)
      const seq = rows[0]?.seq ?? 0
      if (seq !== this.#lastSeq) this.#onCommit()
      this.#lastSeq = seq
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
  }
}

/** A pooler in transaction mode gives each statement another server process, and a notification to nobody. */
async function refusePooler(client: pg.Client, name: string): Promise<void> {
  const probe = randomUUID()
  const heard = new Promise<boolean>((resolve) => {
    client.on('notification', ({ payload }) => {
      if (payload === probe) resolve(true)
    })
    setTimeout(() => resolve(false), PROBE_MS).unref()
  })
  await client.query(`LISTEN ${CHANNEL}`)
  const before = await processOf(client)
  await client.query('SELECT pg_notify($1, $2)', [CHANNEL, probe])
  const isSame = before === (await processOf(client))
  if (isSame && (await heard)) return
  throw new StoreFault(
    'io',
    `There is a connection pooler in transaction mode before ${name}: no gateway would hear of an answer. Connect directly, or through one in session mode.`,
  )
}

async function processOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid
}

const SELECT_LAST = 'SELECT coalesce(max(seq), 0) AS seq FROM events'
