import { setTimeout as sleep } from 'node:timers/promises'
import { type Append, type AppendResult, CommitInDoubt, type StoreFault } from '@holdpoint/core/store'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { startProxy } from '@holdpoint/testing/proxy'
import { eventsOf, sampleAppend, sampleMessage, sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { until } from '@holdpoint/testing/until'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startWriters } from '../fixtures/writers-under-load.ts'
import { readPostgresUrl } from './address.ts'
import { LOCK } from './append-functions.ts'
import { PostgresDatabase } from './database.ts'
import { createPostgresStore, type PostgresStore } from './postgres-store.ts'

let server: PostgresServer
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function open(address: string, options: Partial<Parameters<typeof createPostgresStore>[0]> = {}) {
  const store = await createPostgresStore({ address, node: 'a', version: '1', checkTimes: false, ...options })
  closing.push(() => store.close())
  return store
}

/** A store behind a proxy, and the database's own address. */
async function openBehindProxy() {
  const direct = await server.createDatabase()
  const proxy = await startProxy()
  closing.push(() => proxy[Symbol.asyncDispose]())
  proxy.connectTo(direct.replace('postgres:', 'http:'))
  const store = await open(direct.replace(String(server.port), new URL(proxy.url).port))
  const events = async () => Number((await server.sql('SELECT count(*) FROM holdpoint.events', direct))[0]?.count)
  return { store, proxy, direct, events }
}

const first = (n = 1) => sampleAppend({ n, after: 0, events: [eventsOf(n).started()] })
const faultOf = async (call: Promise<unknown>) => (await call.catch((error: unknown) => error)) as StoreFault

describe('a reply that is lost', () => {
  it('F57 is found out: what was committed is given as if nothing had happened', async () => {
    const { store, proxy, events } = await openBehindProxy()
    await store.append([first(1)])
    proxy.dropResponses(true)
    const conflict = sampleAppend({ n: 1, after: 5, events: [eventsOf(1).added(sampleMessage(1))] })
    const more = sampleAppend({ n: 1, after: 1, events: [eventsOf(1).added(sampleMessage(1))] })
    const results = store.append([more, first(2)])
    await until(async () => (await events()) === 3, 'the commit')
    proxy.dropResponses(false)
    expect(await results).toMatchObject([
      { ok: true, stored: [{ seq: 2, sessionSeq: 2 }] },
      { ok: true, stored: [{ seq: 3, sessionSeq: 1 }] },
    ])
    expect(await store.append([conflict])).toEqual([{ ok: false, seq: 2 }])
    expect((await store.verify()).fault).toBeUndefined()
  })

  it('F57 is found out: what never reached the server was not written', async () => {
    const { store, proxy, events } = await openBehindProxy()
    await store.append([first(1)])
    proxy.dropRequests(true)
    const fault = faultOf(store.append([first(2)]))
    await sleep(100)
    proxy.dropRequests(false)
    expect(await fault).toMatchObject({ name: 'StoreFault', code: 'io' })
    expect((await fault).message).toMatch(/Nothing was written/)
    expect(await events()).toBe(1)
    expect(await store.append([first(2)])).toMatchObject([{ ok: true }])
  })

  it('F57 waits for the statement that still waits in the server, and is final then', async () => {
    const { store, proxy, direct, events } = await openBehindProxy()
    const holder = await hold(direct)
    const results = store.append([first(1)])
    await until(async () => (await waiting(direct)) === 1, 'a statement that waits')
    proxy.cut()
    // The claim of the next life stands behind the statement of the last one.
    await until(async () => (await waiting(direct)) === 2, 'a statement that waits')
    await holder.release()
    expect(await results).toMatchObject([{ ok: true, stored: [{ seq: 1 }] }])
    expect(await events()).toBe(1)
  })

  it('F57 is in doubt only when the database cannot be reached again', async () => {
    const { store, proxy, direct } = await openBehindProxy()
    const holder = await hold(direct)
    const fault = faultOf(store.append([first(1)]))
    await until(async () => (await waiting(direct)) === 1, 'a statement that waits')
    proxy.dropRequests(true)
    proxy.cut()
    await sleep(100)
    await store.close()
    expect(await fault).toBeInstanceOf(CommitInDoubt)
    await holder.release()
  })

  it('F57 in doubt, is read of only once what still waits in the server has ended', async () => {
    const { store, proxy, direct } = await openBehindProxy()
    const holder = await hold(direct)
    const fault = faultOf(store.append([first(1)]))
    await until(async () => (await waiting(direct)) === 1, 'a statement that waits')
    // The ten seconds for which it is asked for pass at once.
    const now = performance.now.bind(performance)
    let ahead = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      ahead += 5_000
      return now() + ahead
    })
    proxy.dropRequests(true)
    proxy.cut()
    expect(await fault).toBeInstanceOf(CommitInDoubt)
    clock.mockRestore()
    proxy.dropRequests(false)
    const read = store.lastSeq()
    await Promise.race([read, until(async () => (await waiting(direct)) === 2, 'the claim of the next life')])
    await holder.release()
    expect(await read).toBe(1)
  })

  // A silent line is given up after twelve seconds.
  it.runIf(LONG)('F57 is found out over another line where one goes silent and does not end', async () => {
    const { store, proxy, direct } = await openBehindProxy()
    await store.append([first(1)])
    const holder = await hold(direct)
    const results = store.append([first(2)])
    await until(async () => (await waiting(direct)) === 1, 'a statement that waits')
    proxy.silence()
    await holder.release()
    expect(await results).toMatchObject([{ ok: true, stored: [{ seq: 2 }] }])
    expect(await store.lastSeq()).toBe(2)
  })

  it('of a read is asked for again', async () => {
    const { store, proxy, direct } = await openBehindProxy()
    await store.append([first(1)])
    const holder = await hold(direct, 'LOCK TABLE holdpoint.events')
    const seq = store.lastSeq()
    await until(async () => (await waiting(direct, 'relation')) >= 1, 'a read that waits')
    proxy.cut()
    await holder.release()
    expect(await seq).toBe(1)
  })

  it('says of records who removed one, and what was put', async () => {
    const { store, proxy, direct } = await openBehindProxy()
    await store.records.put('codes', 'a', 1)
    const count = async () => Number((await server.sql('SELECT count(*) FROM holdpoint.records', direct))[0]?.count)
    proxy.dropResponses(true)
    const removed = store.records.remove('codes', 'a')
    await until(async () => (await count()) === 0, 'the change')
    proxy.dropResponses(false)
    expect(await removed).toBe(true)
    expect(await store.records.remove('codes', 'a')).toBe(false)
    proxy.dropResponses(true)
    const put = store.records.put('codes', 'b', 2)
    await until(async () => (await count()) === 1, 'the change')
    proxy.dropResponses(false)
    await put
    expect(await store.records.get('codes', 'b')).toBe(2)
  })
})

describe('the authority, where a reply is lost', () => {
  it('[I8] is raised with the change, or the caller hears that nothing was changed', async () => {
    const { store, proxy, direct } = await openBehindProxy()
    const newest = () => authorityOf(direct)
    proxy.dropRequests(true)
    const lost = faultOf(store.records.put('devices', 'a', 1))
    await sleep(100)
    proxy.dropRequests(false)
    expect(await lost).toMatchObject({ name: 'StoreFault', code: 'io' })
    expect(await newest()).toBe(0)
    proxy.dropResponses(true)
    const put = store.records.put('devices', 'a', 1)
    await until(async () => (await newest()) === 1, 'the change')
    proxy.dropResponses(false)
    await put
    expect(await newest()).toBe(1)
  })
})

describe('lives of a node', () => {
  it('refuses what an older life writes, and says why', async () => {
    const address = await server.createDatabase()
    const told: StoreFault[] = []
    const older = await open(address, { onFenced: (fault) => told.push(fault) })
    await older.append([first(1)])
    const newer = await open(address)
    for (let n = 0; n < 2; n++) {
      const fault = await faultOf(older.append([first(2)]))
      expect(fault).toMatchObject({ code: 'fenced' })
      expect(fault.message).toMatch(/^Another gateway uses this node's identity \(a\)/)
    }
    expect(await faultOf(older.records.put('a', 'b', 1))).toMatchObject({ code: 'fenced' })
    expect(told).toHaveLength(1)
    expect(await newer.append([first(2)])).toMatchObject([{ ok: true, stored: [{ seq: 2 }] }])
  })

  it('takes one record from many takers once', async () => {
    const address = await server.createDatabase()
    const stores = await Promise.all(['a', 'b', 'c'].map((node) => open(address, { node })))
    for (let n = 0; n < 10; n++) {
      await stores[0]?.records.put('codes', 'code', n)
      const taken = await Promise.all(stores.map((store) => store.records.remove('codes', 'code')))
      expect(taken.filter(Boolean)).toHaveLength(1)
    }
  })
})

describe('several gateways', () => {
  async function two() {
    const address = await server.createDatabase()
    return { address, a: await open(address), b: await open(address, { node: 'b' }) }
  }
  const message = (after: number, n = after) => sampleAppend({ after, events: [eventsOf(1).added(sampleMessage(n))] })

  it('write in one order without gaps, and see conflicts as values', async () => {
    const { a, b } = await two()
    await a.append([first(1), first(2)])
    const lost: AppendResult[] = []
    for (let after = 1; after < 20; after++) {
      const results = await Promise.all([
        a.append([message(after, 2 * after)]),
        b.append([message(after, 2 * after + 1)]),
      ])
      expect(results.flat().filter(({ ok }) => ok)).toHaveLength(1)
      lost.push(...results.flat().filter(({ ok }) => !ok))
    }
    expect(lost).toEqual(Array.from({ length: 19 }, (_, n) => ({ ok: false, seq: n + 2 })))
    const seqs = (await b.events({ after: 0, limit: 100 })).map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from({ length: 21 }, (_, n) => n + 1))
    expect((await a.verify()).fault).toBeUndefined()
  })

  it('do not refuse each other what goes to different sessions', async () => {
    const { a, b } = await two()
    for (let after = 0; after < 30; after++) {
      const append = (n: number) =>
        sampleAppend({ n, after, events: [eventsOf(n).added(sampleMessage(n * 100 + after))] })
      const results = await Promise.all([a.append([append(1)]), b.append([append(2)])])
      expect(results.flat().map(({ ok }) => ok)).toEqual([true, true])
    }
  })

  it('refuse a checkpoint behind what another one has appended', async () => {
    const { a, b } = await two()
    await a.append([first(1)])
    await b.append([message(1)])
    expect(await a.append([sampleAppend({ after: 1, events: [], checkpoint: 9 })])).toEqual([{ ok: false, seq: 2 }])
    expect((await a.liveSession(sessionId(1)))?.seq).toBe(2)
  })

  it('keep the newest checkpoint when another one answers meanwhile', async () => {
    const { a, b } = await two()
    await a.append([{ ...first(1), checkpoint: 5 }])
    await b.append([message(1)])
    await a.append([sampleAppend({ after: 2, events: [], checkpoint: 9 })])
    expect(await b.append([message(2)])).toMatchObject([{ ok: true }])
    expect((await b.liveSession(sessionId(1)))?.checkpoint).toBe(9)
  })

  it('refuse an answer of older rights, and a time that is not the database’s', async () => {
    const address = await server.createDatabase()
    const a = await open(address, { checkTimes: true })
    const b = await open(address, { node: 'b', checkTimes: true })
    const at = (ms: number) => sampleAppend({ after: 0, events: [eventsOf(1, ms).started()] })
    expect(await a.append([at(a.now() - 10_000)])).toEqual([{ ok: false, seq: 0, because: 'clock' }])
    expect(await a.append([at(a.now() + 10_000)])).toEqual([{ ok: false, seq: 0, because: 'clock' }])
    const authority = await authorityOf(address)
    await b.records.put('devices', 'a', 1)
    expect(await authorityOf(address)).toBe(authority + 1)
    const stale = { ...at(a.now()), authority }
    const other = { ...sampleAppend({ n: 2, after: 0, events: [eventsOf(2, a.now()).started()] }) }
    expect(await a.append([stale, other])).toMatchObject([
      { ok: false, seq: 0, because: 'authority' },
      { ok: true, stored: [{ seq: 1 }] },
    ])
    expect(await a.append([{ ...at(a.now()), authority: authority + 1 }])).toMatchObject([{ ok: true }])
  })

  const onTime = (store: PostgresStore, n = 1) =>
    store.append([sampleAppend({ n, after: 0, events: [eventsOf(n, store.now()).started()] })])

  it.each([3_600_000, -3_600_000])('F28 do not mind that the clock of their machine is set, by %i ms', async (ms) => {
    const now = Date.now
    const set = (by: number) => vi.spyOn(Date, 'now').mockImplementation(() => now() + by)
    onTestFinished(() => void vi.restoreAllMocks())
    set(ms)
    const store = await open(await server.createDatabase(), { checkTimes: true })
    expect(Math.abs(store.now() - now())).toBeLessThan(2_000)
    expect(await onTime(store)).toMatchObject([{ ok: true }])
    set(-ms)
    expect(Math.abs(store.now() - now())).toBeLessThan(2_000)
    expect(await onTime(store, 2)).toMatchObject([{ ok: true }])
  })

  it('F29 go on after their machine has slept, which stops its clock', async () => {
    const store = await open(await server.createDatabase(), { checkTimes: true })
    const now = performance.now.bind(performance)
    const asleep = vi.spyOn(performance, 'now').mockImplementation(() => now() - 3_600_000)
    onTestFinished(() => void asleep.mockRestore())
    expect(await onTime(store)).toEqual([{ ok: false, seq: 0, because: 'clock' }])
    expect(await onTime(store)).toMatchObject([{ ok: true }])
  })

  it('end between two statements of one reader: its call is done again, and nothing else ends', async () => {
    const address = await server.createDatabase()
    const db = new PostgresDatabase(readPostgresUrl(address), { settle: async () => {}, onBegin: async () => {} })
    closing.push(() => db.close())
    let rounds = 0
    const result = await db.snapshot(async (query) => {
      rounds++
      const [row] = await query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      if (rounds === 1) {
        await server.sql(`SELECT pg_terminate_backend(${row?.pid})`, address)
        const isRunning = async () =>
          (await server.sql(`SELECT FROM pg_stat_activity WHERE pid = ${row?.pid}`, address)).length > 0
        await until(async () => !(await isRunning()), 'the connection to end')
        // What the server said on its way out has been read.
        await sleep(50)
      }
      return query<{ one: number }>('SELECT 1 AS one')
    })
    expect(result).toEqual([{ one: 1 }])
    expect(rounds).toBe(2)
  })

  it('F61 follow over cut connections without a gap or a repeat', async () => {
    const { address, a, b } = await two()
    const stop = new AbortController()
    const seen: number[] = []
    const following = (async () => {
      for await (const { seq } of a.follow(0, { signal: stop.signal })) seen.push(seq)
    })()
    const rounds = 8
    for (let n = 0; n < rounds; n++) {
      await server.sql(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        address,
      )
      await retried(b, message(n))
      await until(() => seen.length === n + 1, 'the event')
    }
    stop.abort()
    await following
    expect(seen).toEqual(Array.from({ length: rounds }, (_, n) => n + 1))
  })

  it('bring a new database up to date, each step once, when four start at once', async () => {
    const address = await server.createDatabase()
    await Promise.all(['a', 'b', 'c', 'd'].map((node) => open(address, { node })))
    const rows = await server.sql('SELECT format FROM holdpoint.cluster', address)
    expect(rows).toHaveLength(1)
    const nodes = await server.sql('SELECT id, epoch FROM holdpoint.nodes ORDER BY id', address)
    expect(nodes.map(({ id, epoch }) => `${id}${epoch}`)).toEqual(['a1', 'b1', 'c1', 'd1'])
  })
})

async function authorityOf(address: string): Promise<number> {
  return Number((await server.sql('SELECT authority FROM holdpoint.cluster', address))[0]?.authority)
}

/** As the ledger does: a fault means that nothing was written. */
async function retried(store: PostgresStore, append: Append): Promise<AppendResult | undefined> {
  for (let tries = 0; ; tries++) {
    const results = await store.append([append]).catch((error: unknown) => error)
    if (Array.isArray(results)) return results[0]
    if (results instanceof CommitInDoubt || tries > 100) throw results
    await sleep(50)
  }
}

/** Holds the log's lock, as a slow commit of another gateway would, or another one. */
async function hold(address: string, lock = `SELECT pg_advisory_xact_lock(${LOCK})`) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  await client.query(`BEGIN; ${lock}`)
  return {
    async release() {
      await client.query('COMMIT')
      await client.end()
    },
  }
}

async function waiting(address: string, type = 'advisory'): Promise<number> {
  const [row] = await server.sql(
    `SELECT count(*) FROM pg_locks WHERE locktype = '${type}' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    address,
  )
  return Number(row?.count)
}

it('F50 loses, doubles and invents nothing when PostgreSQL is killed under load', { timeout: TIMEOUT_MS }, async () => {
  await using own = await startPostgres()
  const address = await own.createDatabase()
  const stores = await Promise.all(['a', 'b'].map((node) => open(address, { node })))
  const [store = expect.fail()] = stores
  const writers = startWriters(stores)
  const cycles = LONG ? 45 : 10
  for (let cycle = 0; cycle < cycles; cycle++) {
    await writers.more()
    await own.kill()
    await own.start()
  }
  await writers.more()
  report(`${cycles} kills of PostgreSQL: ${await writers.check(store)}`)
  for (const each of stores) await each.close()
})
