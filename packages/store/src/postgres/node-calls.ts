import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeReply, ServeCall } from '@holdpoint/core/cluster'
import { StoreFault } from '@holdpoint/core/store'
import type { NodeId } from '@holdpoint/schema/id'
import { backOff } from './back-off.ts'
import type { PostgresDatabase } from './database.ts'
import { CALL_NEWS, type CallNews } from './grouped-calls.ts'
import { createGroups } from './groups.ts'
import { CALL_KEPT_MS, SILENT } from './node-functions.ts'
import type { NodeList } from './node-list.ts'
import { Repeated } from './repeated.ts'

const DROP_EVERY_MS = 60_000
/** Of calls whose replies were heard. Those beyond are dropped with the old ones. */
const HEARD_KEPT = 5_000

interface Call {
  readonly id: string
  readonly to: NodeId
  /** As JSON, which holds every text; so are replies. */
  readonly body: string
}

interface Waiting {
  readonly to: NodeId
  readonly since: number
  readonly end: (reply: NodeReply) => void
  /** Whether its row was there. */
  isSent: boolean
}

interface Done {
  readonly id: string
  /** None: its caller hears that it is not known what came of it. */
  readonly reply: string | null
}

/** Calls between nodes: a row each, which one process takes, once. Many calls, and many replies, share a statement. */
export class NodeCalls {
  readonly #db: PostgresDatabase
  readonly #node: NodeId
  readonly #run: string
  readonly #nodes: NodeList
  readonly #now: () => number
  readonly #stop = new AbortController()
  readonly #waiting = new Map<string, Waiting>()
  #heard: string[] = []
  /** Calls that this process has taken, until their rows say so. */
  readonly #taken = new Set<string>()
  readonly #doing = new Map<string, AbortController>()
  /** Calls whose rows have replies that a crash of the database may still take back: they are not done again. */
  readonly #replied = new Set<string>()
  #serve: ServeCall | undefined
  #dropAt = 0

  readonly #send = createGroups(
    (calls: readonly Call[]) => this.#sendAll(calls),
    ({ body }) => body.length,
  )
  readonly #reply = createGroups(
    (done: readonly Done[]) => this.#replyAll(done),
    ({ reply }) => reply?.length ?? 0,
  )
  readonly #settle = createGroups(
    (ids: readonly string[]) => this.#settleAll(ids),
    (id) => id.length,
  )
  readonly #looks: Readonly<Record<CallNews | 'old', Repeated>> = {
    call: new Repeated(() => this.#take()),
    reply: new Repeated(() => this.#hear()),
    left: new Repeated(() => this.#stopLeft()),
    old: new Repeated(() => this.#drop()),
  }

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
    this.#looks.call.again()
  }

  async call(to: NodeId, body: string, { signal }: { readonly signal: AbortSignal }): Promise<NodeReply> {
    if (signal.aborted || this.#stop.signal.aborted || this.#nodes.runOf(to) === undefined) return UNREACHABLE
    const id = randomUUID()
    let end: (reply: NodeReply) => void = () => {}
    const reply = new Promise<NodeReply>((resolve) => {
      end = resolve
    })
    const giveUp = () => this.#giveUp(id)
    const waiting: Waiting = { to, since: this.#now(), end, isSent: false }
    this.#waiting.set(id, waiting)
    signal.addEventListener('abort', giveUp, { once: true })
    this.#send({ id, to, body: JSON.stringify(body) }).then(() => {
      waiting.isSent = true
      // Whether it has arrived is not known then: from now on it does not.
    }, giveUp)
    try {
      return await reply
    } finally {
      this.#waiting.delete(id)
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Once a second, for what no news has come of. */
  look(): void {
    for (const look of Object.values(this.#looks)) look.again()
  }

  heard(payload: string): void {
    const [to, news] = payload.split(' ')
    if (to !== this.#node) return
    if (news === CALL_NEWS.call) this.#looks.call.again()
    if (news === CALL_NEWS.reply) this.#looks.reply.again()
    if (news === CALL_NEWS.left) this.#looks.left.again()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const { end } of this.#waiting.values()) end(UNKNOWN)
    for (const doing of this.#doing.values()) doing.abort()
    await Promise.all(Object.values(this.#looks).map((look) => look.close()))
  }

  /** Not those that were given up meanwhile. */
  async #sendAll(calls: readonly Call[]): Promise<readonly undefined[]> {
    const wanted = calls.filter(({ id }) => this.#waiting.has(id))
    if (wanted.length === 0) return []
    const heard = this.#heard
    this.#heard = []
    const columns = [wanted.map(({ id }) => id), wanted.map(({ to }) => to), wanted.map(({ body }) => body)]
    await this.#db.queryOnce(CALL, [this.#node, this.#run, Math.round(this.#now()), ...columns, heard])
    return []
  }

  async #take(): Promise<void> {
    const serve = this.#serve
    if (!serve) return
    const replied = [...this.#replied]
    const rows = await this.#db.query<TakenRow>(TAKE, [this.#node, this.#run, [...this.#taken]])
    // The replies of those that are not among these rows are there, and the flush of what was taken now came after them.
    const found = new Set(rows.map(({ call }) => call))
    if (rows.some(({ isNew }) => isNew)) for (const id of replied) if (!found.has(id)) this.#replied.delete(id)
    for (const { call, body } of rows) void this.#do(call, body, serve)
  }

  async #do(id: string, body: string, serve: ServeCall): Promise<void> {
    if (this.#taken.has(id)) return
    this.#taken.add(id)
    const reply = this.#replied.has(id) ? null : await this.#served(id, body, serve)
    await this.#reply({ id, reply })
  }

  async #served(id: string, body: string, serve: ServeCall): Promise<string | null> {
    const left = new AbortController()
    this.#doing.set(id, left)
    const signal = AbortSignal.any([left.signal, this.#stop.signal])
    try {
      return JSON.stringify(await serve(JSON.parse(body), { signal }))
    } catch {
      return null
    } finally {
      this.#doing.delete(id)
    }
  }

  /** A reply that does not arrive is sent again: another one does no harm. */
  async #replyAll(done: readonly Done[]): Promise<readonly undefined[]> {
    const columns = [done.map(({ id }) => id), done.map(({ reply }) => reply)]
    for (let attempt = 0; !this.#stop.signal.aborted; attempt++) {
      try {
        await this.#db.query(REPLY, [this.#run, ...columns])
        for (const { id } of done) {
          this.#replied.add(id)
          this.#taken.delete(id)
        }
        break
      } catch {
        await sleep(backOff(attempt), undefined, { signal: this.#stop.signal }).catch(() => {})
      }
    }
    return []
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
    const asked = [...this.#waiting].map(([id, call]) => ({ id, call, wasSent: call.isSent }))
    const rows = await this.#db.query<CallRow>(SELECT_CALLS, [asked.map(({ id }) => id)])
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const { id, call, wasSent } of asked) {
      const row = found.get(id)
      const run = this.#nodes.runOf(call.to)
      const isLost = run === undefined || (row?.taken != null && row.taken !== run)
      if (row?.reply != null) {
        call.end({ ok: true, reply: JSON.parse(row.reply) })
        if (this.#heard.length < HEARD_KEPT) this.#heard.push(id)
        // One without a row came too late, or a crash of the database has taken it back.
      } else if (isLost || row?.settled || (wasSent && !row)) this.#giveUp(id)
    }
  }

  async #drop(): Promise<void> {
    if (performance.now() < this.#dropAt) return
    this.#dropAt = performance.now() + DROP_EVERY_MS
    await this.#db.query('SELECT drop_calls($1, $2, $3)', [this.#node, this.#run, [...this.#waiting.keys()]])
  }

  /** Has nobody take it from now on, and tells its caller what came of it. */
  #giveUp(id: string): void {
    const call = this.#waiting.get(id)
    if (!call) return
    this.#settle(id).then(
      (row) => {
        if (row?.reply != null) call.end({ ok: true, reply: JSON.parse(row.reply) })
        // The row of an old one may have been dropped, also if it was taken.
        else call.end(row?.taken === false && this.#now() - call.since < CALL_KEPT_MS ? UNREACHABLE : UNKNOWN)
      },
      (error: unknown) => {
        call.end(UNKNOWN)
        if (!(error instanceof StoreFault)) throw error
      },
    )
  }

  async #settleAll(ids: readonly string[]): Promise<readonly (SettledRow | undefined)[]> {
    const rows = await this.#db.query<SettledRow>(SETTLE, [ids])
    const found = new Map(rows.map((row) => [row.call, row]))
    return ids.map((id) => found.get(id))
  }
}

interface TakenRow extends Record<string, unknown> {
  readonly call: string
  readonly body: string
  readonly isNew: boolean
}

interface CallRow extends Record<string, unknown> {
  readonly id: string
  readonly taken: string | null
  readonly settled: boolean
  readonly reply: string | null
}

interface SettledRow extends Record<string, unknown> {
  readonly call: string
  readonly taken: boolean
  readonly reply: string | null
}

const UNREACHABLE: NodeReply = { ok: false, why: 'unreachable' }
const UNKNOWN: NodeReply = { ok: false, why: 'unknown' }

const CALL = 'SELECT call_nodes($1, $2, $3, $4::text[], $5::text[], $6::text[], $7::text[])'
const TAKE = 'SELECT call, call_body AS body, is_new AS "isNew" FROM take_calls($1, $2, $3::text[])'
const REPLY = 'SELECT reply_to_calls($1, $2::text[], $3::text[])'
const SETTLE = 'SELECT call, was_taken AS taken, found_reply AS reply FROM settle_calls($1::text[])'
const SELECT_CALLS = 'SELECT id, taken, settled, reply FROM calls WHERE id = ANY($1::text[])'
const SELECT_WANTED = `SELECT c.id FROM calls c JOIN nodes n ON n.id = c.from_node AND n.run = c.from_run
  WHERE c.id = ANY($1::text[]) AND NOT c.settled AND NOT n.${SILENT}`
