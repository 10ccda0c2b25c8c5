import type { Cluster, NodeReply } from '@holdpoint/core/cluster'
import type { NodeId } from '@holdpoint/schema/id'
import { LONG } from '@holdpoint/testing/long'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { nodeId } from '@holdpoint/testing/store-contract/store-samples'
import { until } from '@holdpoint/testing/until'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { openPostgresCluster } from './open-cluster.ts'

let server: PostgresServer
let nodes = 0
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(() => vi.restoreAllMocks())

const never = () => new AbortController().signal

async function joined(address: string, node: NodeId = nodeId(++nodes)) {
  const member = await openPostgresCluster({ address, node, version: '1', name: node, checkTimes: false })
  onTestFinished(async () => {
    await member.cluster.close()
    await member.store.close()
  })
  return member
}

async function two(address: string) {
  const [a, b] = [await joined(address), await joined(address)]
  const to = b.cluster.node
  await until(() => isReachable(a.cluster, to), 'the other node')
  return { a, b, to }
}

const isReachable = (on: Cluster, id: NodeId) => on.nodes().find((node) => node.id === id)?.isReachable

type Send = (this: pg.Client, query: { readonly text?: string }) => Promise<unknown>

/** Watches what is sent to the database. `after` may throw, as where the reply of a statement is lost. */
function watchStatements(after: (text: string) => void = () => {}) {
  const send = pg.Client.prototype.query as unknown as Send
  const texts: string[] = []
  const spy = vi.spyOn(pg.Client.prototype, 'query') as unknown as { mockImplementation(by: Send): void }
  spy.mockImplementation(async function (this: pg.Client, ...values: Parameters<Send>) {
    const text = values[0]?.text ?? ''
    texts.push(text)
    const result = await send.apply(this, values)
    after(text)
    return result
  })
  return { count: (name: string) => texts.filter((text) => text.includes(name)).length }
}

/** A call on its own: of the caller's run that is there, unless another is named. */
async function insertCall(
  address: string,
  row: {
    readonly from: NodeId
    readonly to: NodeId
    readonly body: string
    readonly run?: string
    readonly taken?: string
  },
) {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  const { from, to, body, run = null, taken = null } = row
  const insert = `INSERT INTO holdpoint.calls (id, to_node, from_node, from_run, body, taken, at)
    SELECT $3, $1, id, coalesce($4, run), to_json($3::text), $5, clock_timestamp() FROM holdpoint.nodes WHERE id = $2`
  const { rowCount } = await client.query(insert, [to, from, body, run, taken]).finally(() => client.end())
  expect(rowCount).toBe(1)
}

/** What callers hear fits what was done: at most once, and not at all where they hear so. */
function expectHonest(replies: ReadonlyMap<string, NodeReply>, served: readonly string[]) {
  expect(served).toHaveLength(new Set(served).size)
  for (const [body, reply] of replies) {
    if (reply.ok) expect(reply.reply).toBe(`${body}!`)
    if (reply.ok || reply.why === 'unreachable') expect([body, served.includes(body)]).toEqual([body, reply.ok])
  }
}

it('many calls at once share their statements, and each is done once with its own reply', async () => {
  const { a, b, to } = await two(await server.createDatabase())
  const served: string[] = []
  b.cluster.serve(async (body) => {
    served.push(body)
    if (body.endsWith('7')) throw new Error('a bug')
    return `${body}!`
  })
  const statements = watchStatements()
  const bodies = Array.from({ length: 300 }, (_, n) => `call ${n}`)
  const stopped = AbortSignal.abort()
  const replies = await Promise.all(
    bodies.map((body) => a.cluster.call(to, body, { signal: body.endsWith('3') ? stopped : never() })),
  )
  const expected = bodies.map((body): NodeReply => {
    if (body.endsWith('3')) return { ok: false, why: 'unreachable' }
    return body.endsWith('7') ? { ok: false, why: 'unknown' } : { ok: true, reply: `${body}!` }
  })
  expect(replies).toEqual(expected)
  expect(served.toSorted()).toEqual(bodies.filter((body) => !body.endsWith('3')).toSorted())
  expect(statements.count('call_nodes')).toBe(1)
  expect(statements.count('reply_to_calls')).toBeLessThan(10)
})

it('calls that are called off leave the others of their statement as they are', async () => {
  const address = await server.createDatabase()
  const { a, b, to } = await two(address)
  const stop = new AbortController()
  const calls = Array.from({ length: 40 }, (_, n) =>
    a.cluster.call(to, `call ${n}`, { signal: n % 2 === 0 ? stop.signal : never() }),
  )
  const rows = async () => (await server.sql('SELECT FROM holdpoint.calls', address)).length
  await until(async () => (await rows()) === calls.length, 'their rows')
  stop.abort()
  const left = calls.filter((_, n) => n % 2 === 0)
  expect(await Promise.all(left)).toEqual(left.map(() => ({ ok: false, why: 'unreachable' })))
  const served: string[] = []
  b.cluster.serve(async (body) => {
    served.push(body)
    return ''
  })
  await Promise.all(calls)
  expect(served.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `call ${n * 2 + 1}`).toSorted())
})

it('F50 of many calls under way when their gateway is gone, none is done again by its next run', async () => {
  const address = await server.createDatabase()
  const { a, b, to } = await two(address)
  const served: string[] = []
  b.cluster.serve((body) => {
    served.push(body)
    return served.length % 2 === 0 ? new Promise(() => {}) : Promise.resolve(`${body}!`)
  })
  const replies = new Map<string, NodeReply>()
  const calls = Array.from({ length: 100 }, async (_, n) => {
    // Some of them come when it is gone.
    if (n >= 50) await until(() => served.length > 20, 'calls under way')
    replies.set(`call ${n}`, await a.cluster.call(to, `call ${n}`, { signal: never() }))
  })
  await until(() => served.length > 20, 'calls under way')
  // Without a goodbye.
  await b.store.close()
  const again = await joined(address, to)
  again.cluster.serve(async (body) => {
    served.push(body)
    return `${body}!`
  })
  await Promise.all(calls)
  expectHonest(replies, served)
  expect([...replies.values()].filter(({ ok }) => !ok).length).toBeGreaterThan(20)

  // One that its caller has not given up yet.
  await insertCall(address, { from: a.cluster.node, to, body: 'taken before', taken: 'a run before' })
  await a.cluster.call(to, 'the last', { signal: never() })
  expect(served.at(-1)).toBe('the last')
  expect(served).not.toContain('taken before')
})

it('F50 calls whose statement lost its reply are not sent again', async () => {
  const { a, b, to } = await two(await server.createDatabase())
  let isLost = true
  const statements = watchStatements((text) => {
    if (isLost && text.includes('call_nodes')) throw new Error('Connection terminated unexpectedly')
  })
  // Nobody takes them yet: a reply would end them before a second statement.
  const calls = ['one', 'two'].map((body) => a.cluster.call(to, body, { signal: never() }))
  const unreachable: NodeReply = { ok: false, why: 'unreachable' }
  expect(await Promise.all(calls)).toEqual([unreachable, unreachable])
  expect(statements.count('call_nodes')).toBe(1)
  isLost = false
  const served: string[] = []
  b.cluster.serve(async (body) => {
    served.push(body)
    return ''
  })
  await a.cluster.call(to, 'another', { signal: never() })
  expect(served).toEqual(['another'])
})

it('F61 a call is not done once its caller is gone', async () => {
  const address = await server.createDatabase()
  const { a, b, to } = await two(address)
  await insertCall(address, { from: a.cluster.node, to, body: 'of a run before', run: 'a run before' })
  await insertCall(address, { from: a.cluster.node, to, body: 'of this run' })
  const served: string[] = []
  b.cluster.serve(async (body) => {
    served.push(body)
    return ''
  })
  await a.cluster.call(to, 'another', { signal: never() })
  expect(served).toEqual(expect.arrayContaining(['of this run', 'another']))
  expect(served).toHaveLength(2)
})

it('F61 a call that was under way for long is not done, and its caller hears so', async () => {
  const { a, b, to } = await two(await server.createDatabase())
  const served: string[] = []
  b.cluster.serve(async (body) => {
    served.push(body)
    return ''
  })
  const send = pg.Client.prototype.query as unknown as Send
  type Sent = { readonly text?: string; readonly values: number[] }
  const spy = vi.spyOn(pg.Client.prototype, 'query') as unknown as { mockImplementation(by: Send): void }
  spy.mockImplementation(function (this: pg.Client, query) {
    const { text, values } = query as Sent
    // As if it had been sent ten seconds ago.
    if (text?.includes('call_nodes')) values[2] = Number(values[2]) - 10_000
    return send.call(this, query)
  })
  expect(await a.cluster.call(to, 'late', { signal: never() })).toEqual({ ok: false, why: 'unreachable' })
  vi.restoreAllMocks()
  await a.cluster.call(to, 'another', { signal: never() })
  expect(served).toEqual(['another'])
})

it('F50 a call that a crash of the database took back is not done, and its caller hears so', async () => {
  const address = await server.createDatabase()
  const { a, b, to } = await two(address)
  const call = a.cluster.call(to, 'lost', { signal: never() })
  await until(async () => (await server.sql('DELETE FROM holdpoint.calls RETURNING id', address)).length > 0, 'its row')
  expect(await call).toEqual({ ok: false, why: 'unreachable' })
  const served: string[] = []
  b.cluster.serve(async (body) => {
    served.push(body)
    return ''
  })
  await a.cluster.call(to, 'another', { signal: never() })
  expect(served).toEqual(['another'])
})

it('F50 a call whose reply a crash of the database took back is not done again', async () => {
  const address = await server.createDatabase()
  const { a, b, to } = await two(address)
  const served: string[] = []
  b.cluster.serve(async (body) => {
    served.push(body)
    return `${body}!`
  })
  const c = await joined(address)
  await until(() => isReachable(c.cluster, to), 'the other node')
  expect(await a.cluster.call(to, 'once', { signal: never() })).toEqual({ ok: true, reply: 'once!' })
  const taken = await server.sql(
    'UPDATE holdpoint.calls SET reply = NULL WHERE taken IS NOT NULL RETURNING id',
    address,
  )
  expect(taken).toHaveLength(1)
  // It is found together with a new one, whose flush says nothing of the reply that was lost.
  await c.cluster.call(to, 'another', { signal: never() })
  const settled = 'SELECT FROM holdpoint.calls WHERE taken IS NOT NULL AND settled AND reply IS NULL'
  await until(async () => (await server.sql(settled, address)).length === 1, 'the end of the call')
  expect(served).toEqual(['once', 'another'])
})

it('F50 of many calls while all of PostgreSQL is killed, each is done once or not at all, as its caller hears', {
  timeout: LONG ? 600_000 : 60_000,
}, async () => {
  // What no statement has waited for stays in memory for long, so that the end takes it back.
  await using own = await startPostgres({ wal_writer_delay: '10s' })
  const { a, b, to } = await two(await own.createDatabase())
  const served: string[] = []
  b.cluster.serve(async (body) => {
    served.push(body)
    return `${body}!`
  })
  const replies = new Map<string, NodeReply>()
  for (let round = 0; round < (LONG ? 50 : 1); round++) {
    let isOver = false
    const lanes = Array.from({ length: 32 }, async (_, lane) => {
      for (let n = 0; !isOver; n++) {
        const body = `${round} ${lane} ${n}`
        replies.set(body, await a.cluster.call(to, body, { signal: AbortSignal.timeout(5_000) }))
        // Where it cannot be reached the reply comes at once.
        if (!replies.get(body)?.ok) await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })
    const from = served.length
    await until(() => served.length > from + 100, 'calls under way')
    await own.kill()
    await own.start()
    const back = served.length
    await until(() => served.length > back + 50, 'calls after the start')
    isOver = true
    await Promise.all(lanes)
  }
  expectHonest(replies, served)
})
