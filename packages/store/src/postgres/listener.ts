import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreFault } from '@holdpoint/core/store'
import { createTurn } from '@holdpoint/core/turns'
import type pg from 'pg'
import { addressName, type PostgresAddress } from './address.ts'
import { backOff } from './back-off.ts'
import { connectPostgres, dropConnection, endConnection } from './connection.ts'
import { prepared, type Query } from './database.ts'
import { postgresFault } from './fault.ts'

/** What gateways tell each other of: what the names of channels begin with. The cluster's own end is known to gateways alone. */
export const CHANNELS = {
  /** With the node that has committed. */
  commits: 'holdpoint',
  nodes: 'holdpoint_nodes',
  /** With the node that it concerns, and what there is of them. */
  calls: 'holdpoint_calls',
  records: 'holdpoint_records',
  told: 'holdpoint_told',
} as const

/** So often a look is taken without being told to: a notification may be lost with its connection. */
const LOOK_MS = 1_000
const PROBE_MS = 5_000

export interface Listening {
  readonly heard: (channel: string, payload: string) => unknown
  /** At each new connection, once a second, and when woken. Where it throws, there is a new connection. */
  readonly look: (query: Query, options: { readonly isNew: boolean }) => Promise<void>
}

/** The connection that hears of what others do. */
export class PostgresListener {
  readonly #address: PostgresAddress
  readonly #stop = new AbortController()
  #first: Connection | undefined
  #current: Connection | undefined
  #running: Promise<void> = Promise.resolve()
  #isWoken = false
  #wake = () => {}

  constructor(address: PostgresAddress) {
    this.#address = address
  }

  /** Refuses a connection whose server does not hold on to it: what is listened for there is never heard. */
  async start(): Promise<void> {
    const first = await this.#connect()
    try {
      await refusePooler(first.client, addressName(this.#address))
    } catch (error) {
      dropConnection(first.client)
      throw postgresFault(error, addressName(this.#address))
    }
    this.#first = first
  }

  /** Resolves after the first look. */
  run(listening: Listening): Promise<void> {
    return new Promise((resolve) => {
      this.#running = this.#run({
        heard: listening.heard,
        look: async (query, options) => {
          await listening.look(query, options)
          resolve()
        },
      }).finally(resolve)
    })
  }

  /** Takes a look soon. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** On this connection, so in one order. Rejects where there is none. */
  readonly query: Query = async (text, values) => {
    if (!this.#current) throw new StoreFault('io', `There is no connection to ${addressName(this.#address)}.`)
    return this.#current.query(text, values)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const connection = this.#current ?? this.#first
    if (connection) await endConnection(connection.client)
    await this.#running
  }

  /** For as long as the store is open, on one connection after the other. */
  async #run(listening: Listening): Promise<void> {
    for (let attempt = 0; !this.#stop.signal.aborted; ) {
      let connection = this.#first
      this.#first = undefined
      try {
        connection ??= await this.#connect()
        this.#current = connection
        await this.#listen(connection, listening, () => {
          attempt = 0
        })
      } catch {
        // The connection is gone. What it would have told of is looked at on the next one.
      }
      this.#current = undefined
      if (connection) dropConnection(connection.client)
      await sleep(backOff(attempt++), undefined, { signal: this.#stop.signal }).catch(() => {})
    }
  }

  async #connect(): Promise<Connection> {
    const ended = new AbortController()
    const client = await connectPostgres(this.#address, () => ended.abort())
    const inTurn = createTurn()
    const query: Query = (text, values) => inTurn(() => prepared(client)(text, values))
    return { client, query, ended: ended.signal }
  }

  async #listen({ client, query, ended }: Connection, { heard, look }: Listening, onWhole: () => void): Promise<void> {
    const [cluster] = await query<{ end: string }>('SELECT channel_end AS "end" FROM cluster')
    const kinds = new Map(Object.values(CHANNELS).map((kind) => [`${kind}_${cluster?.end}`, kind]))
    client.on('notification', ({ channel, payload }) => {
      const kind = kinds.get(channel)
      if (kind !== undefined) heard(kind, payload ?? '')
    })
    for (const channel of kinds.keys()) await query(`LISTEN ${channel}`)
    const signal = AbortSignal.any([ended, this.#stop.signal])
    for (let isNew = true; !signal.aborted; isNew = false) {
      this.#isWoken = false
      await look(query, { isNew })
      onWhole()
      await this.#pause(LOOK_MS, signal)
    }
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isWoken || signal.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = () => {}
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done, { once: true })
      this.#wake = done
    })
  }
}

interface Connection {
  readonly client: pg.Client
  /** What looks and what tells others share it: one statement after the other. */
  readonly query: Query
  /** Aborts when it is gone. */
  readonly ended: AbortSignal
}

/** A pooler in transaction mode gives each statement another server process, and a notification to nobody. */
async function refusePooler(client: pg.Client, name: string): Promise<void> {
  const probe = `probe_${randomUUID().replaceAll('-', '')}`
  const heard = new Promise<boolean>((resolve) => {
    client.on('notification', ({ channel }) => {
      if (channel === probe) resolve(true)
    })
    setTimeout(() => resolve(false), PROBE_MS).unref()
  })
  await client.query(`LISTEN ${probe}`)
  const before = await processOf(client)
  await client.query('SELECT pg_notify($1, $2)', [probe, ''])
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
