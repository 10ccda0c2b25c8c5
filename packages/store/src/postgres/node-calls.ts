import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeReply, ServeCall } from '@holdpoint/core/cluster'
import { StoreFault } from '@holdpoint/core/store'
import type { NodeId } from '@holdpoint/schema/id'
import { backOff } from './back-off.ts'
import type { PostgresDatabase } from './database.ts'
import { SILENT } from './node-functions.ts'
import type { NodeList } from './node-list.ts'

const DROP_EVERY_MS = 60_000

interface Waiting {
  readonly to: NodeId
  readonly end: (reply: NodeReply) => void
}

/**
 * Calls between nodes: a row each, which one process takes, once. Each statement here can be sent twice, so that one whose
 * reply was lost does no harm. Bodies and replies are kept as JSON, which holds every text.
 */
export class NodeCalls {
  readonly #db: PostgresDatabase
  readonly #node: NodeId
  readonly #run: string
  readonly #nodes: NodeList
  readonly #now: () => number
  readonly #stop = new AbortController()
  readonly #waiting = new Map<string, Waiting>()
  /** Calls that this process has taken, until their rows say so. */
  readonly #taken = new Set<string>()
  readonly #doing = new Map<string, AbortController>()
  #serve: ServeCall | undefined
  #looking: Promise<void> | undefined
  #isLookDue = false
  #dropAt = 0

  constructor(parts: {
    readonly db: PostgresDatabase
    readonly node: NodeId
    readonly run: string
    readonly nodes: NodeList
    /** By the database's clock. */
    readonly now: () => number
  }) {
    this.#db = parts.db
    this.#node = parts.node
    this.#run = parts.run
    this.#nodes = parts.nodes
    this.#now = parts.now
  }

  serve(handler: ServeCall): void {
    this.#serve = handler
    this.look()
  }

  async call(to: NodeId, body: string, { signal }: { readonly signal: AbortSignal }): Promise<NodeReply> {
    if (signal.aborted || this.#stop.signal.aborted || this.#nodes.runOf(to) === undefined) return UNREACHABLE
    const id = randomUUID()
    let end: (reply: NodeReply) => void = () => {}
    const reply = new Promise<NodeReply>((resolve) => {
      end = resolve
    })
    const giveUp = () => void this.#settle(id).then(end)
    this.#waiting.set(id, { to, end })
    signal.addEventListener('abort', giveUp, { once: true })
    const values = [id, to, this.#node, this.#run, JSON.stringify(body), Math.round(this.#now())]
    // Whether it has arrived is not known then: from now on it does not.
    this.#db.query('SELECT call_node($1, $2, $3, $4, $5, $6)', values).catch(giveUp)
    try {
      return await reply
    } finally {
      this.#waiting.delete(id)
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** What has come, for callers and for whom they call. Soon, and once more if something came meanwhile. */
  look(): void {
    if (this.#stop.signal.aborted) return
    this.#isLookDue = true
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
      if (this.#isLookDue) this.look()
    })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const { end } of this.#waiting.values()) end(UNKNOWN)
    for (const doing of this.#doing.values()) doing.abort()
    await this.#looking
  }

  async #look(): Promise<void> {
    while (this.#isLookDue && !this.#stop.signal.aborted) {
      this.#isLookDue = false
      // The next look is a second away, where the database cannot be read now.
      await Promise.all([this.#take(), this.#stopLeft(), this.#hear(), this.#drop()]).catch(() => {})
    }
  }

  async #take(): Promise<void> {
    const serve = this.#serve
    if (!serve) return
    const rows = await this.#db.query<{ call: string; body: string }>(TAKE, [this.#node, this.#run, [...this.#taken]])
    for (const { call, body } of rows) void this.#do(call, JSON.parse(body), serve)
  }

  async #do(id: string, body: string, serve: ServeCall): Promise<void> {
    if (this.#taken.has(id)) return
    this.#taken.add(id)
    const left = new AbortController()
    this.#doing.set(id, left)
    // Without a reply the caller hears that it is not known what came of it.
    const signal = AbortSignal.any([left.signal, this.#stop.signal])
    const reply = await serve(body, { signal }).then(JSON.stringify, () => null)
    this.#doing.delete(id)
    for (let attempt = 0; !this.#stop.signal.aborted; attempt++) {
      try {
        await this.#db.query('SELECT reply_to_call($1, $2, $3)', [id, this.#run, reply])
        this.#taken.delete(id)
        break
      } catch {
        await sleep(backOff(attempt), undefined, { signal: this.#stop.signal }).catch(() => {})
      }
    }
  }

  /** Whose callers are gone, or have stopped waiting. */
  async #stopLeft(): Promise<void> {
    if (this.#doing.size === 0) return
    const ids = [...this.#doing.keys()]
    const rows = await this.#db.query<{ id: string }>(SELECT_WANTED, [ids])
    const wanted = new Set(rows.map(({ id }) => id))
    for (const id of ids) if (!wanted.has(id)) this.#doing.get(id)?.abort()
  }

  async #hear(): Promise<void> {
    if (this.#waiting.size === 0) return
    const rows = await this.#db.query<CallRow>(SELECT_CALLS, [[...this.#waiting.keys()]])
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const [id, { to, end }] of this.#waiting) {
      const row = found.get(id)
      const run = this.#nodes.runOf(to)
      const isLost = run === undefined || (row?.taken != null && row.taken !== run)
      if (row?.reply != null) {
        end({ ok: true, reply: JSON.parse(row.reply) })
        void this.#settle(id)
      } else if (isLost || row?.settled) void this.#settle(id).then(end)
    }
  }

  async #drop(): Promise<void> {
    if (performance.now() < this.#dropAt) return
    this.#dropAt = performance.now() + DROP_EVERY_MS
    await this.#db.query('SELECT drop_calls($1, $2, $3)', [this.#node, this.#run, [...this.#waiting.keys()]])
  }

  /** Has nobody take it from now on, and says what came of it. */
  async #settle(id: string): Promise<NodeReply> {
    try {
      const [row] = await this.#db.query<{ taken: boolean; reply: string | null }>(SETTLE, [id])
      if (row?.reply != null) return { ok: true, reply: JSON.parse(row.reply) }
      return row?.taken === false ? UNREACHABLE : UNKNOWN
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      return UNKNOWN
    }
  }
}

interface CallRow extends Record<string, unknown> {
  readonly id: string
  readonly taken: string | null
  readonly settled: boolean
  readonly reply: string | null
}

const UNREACHABLE: NodeReply = { ok: false, why: 'unreachable' }
const UNKNOWN: NodeReply = { ok: false, why: 'unknown' }

const TAKE = 'SELECT call, call_body AS body FROM take_calls($1, $2, $3::text[])'
const SETTLE = 'SELECT was_taken AS taken, found_reply AS reply FROM settle_call($1)'
const SELECT_CALLS = 'SELECT id, taken, settled, reply FROM calls WHERE id = ANY($1::text[])'
const SELECT_WANTED = `SELECT c.id FROM calls c JOIN nodes n ON n.id = c.from_node AND n.run = c.from_run
  WHERE c.id = ANY($1::text[]) AND NOT c.settled AND NOT n.${SILENT}`
