import { CommitInDoubt } from '@holdpoint/core/store'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { startProxy } from '@holdpoint/testing/proxy'
import { eventsOf, sampleAppend, sampleMessage } from '@holdpoint/testing/store-contract/store-samples'
import { until } from '@holdpoint/testing/until'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startWriters } from '../fixtures/writers-under-load.ts'
import { createPostgresStore, type PostgresStore } from './postgres-store.ts'

/** The one that takes over is the primary of the next test. */
let primary: PostgresServer
let way: Awaited<ReturnType<typeof startProxy>>
const servers: PostgresServer[] = []
const stores: PostgresStore[] = []
beforeAll(async () => {
  primary = await startPostgres()
  servers.push(primary)
  way = await startProxy()
})
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})
afterAll(async () => {
  await way[Symbol.asyncDispose]()
  for (const server of servers) await server[Symbol.asyncDispose]()
})

const at = (address: string, port: number | string) => address.replace(/:\d+\//, `:${port}/`)

/** A database at an address that stays the same whichever server it leads to. */
async function database(): Promise<string> {
  const address = await primary.createDatabase()
  way.connectTo(address.replace('postgres:', 'http:'))
  return at(address, new URL(way.url).port)
}

async function open(address: string, node = 'a'): Promise<PostgresStore> {
  const store = await createPostgresStore({ address, node, version: '1', checkTimes: false })
  stores.push(store)
  return store
}

async function standby(): Promise<PostgresServer> {
  const server = await primary.standby()
  servers.push(server)
  return server
}

async function synchronous(server: PostgresServer) {
  await server.sql(`ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (standby)'`)
  await server.sql('SELECT pg_reload_conf()')
  await until(async () => {
    const [row] = await server.sql('SELECT sync_state FROM pg_stat_replication')
    return row?.sync_state === 'quorum'
  }, 'the standby to be synchronous')
}

/** For its standby. */
async function aCommitWaits() {
  const waiting = `SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%FROM append(%'`
  await until(async () => (await primary.sql(waiting)).length > 0, 'a commit that waits')
}

async function takeOver(by: PostgresServer) {
  await primary.kill()
  await by.sql('SELECT pg_promote()')
  way.connectTo(`http://127.0.0.1:${by.port}`)
  primary = by
}

const started = () => sampleAppend({ after: 0, events: [eventsOf(1).started()] })
const message = (n: number, after = n) => sampleAppend({ after, events: [eventsOf(1).added(sampleMessage(n))] })
const refusal = async (call: Promise<unknown>) => String(await call.catch((error: unknown) => error))

it.runIf(LONG)('F62 a synchronous standby that is away is waited for, and nobody is told meanwhile', async () => {
  const address = await database()
  const other = await standby()
  await synchronous(primary)
  const store = await open(address)
  expect(store.warnings).toEqual([])
  await store.append([started()])
  await other.kill()
  let isTold = false
  const told = store.append([message(1)]).finally(() => {
    isTold = true
  })
  await aCommitWaits()
  expect(isTold).toBe(false)
  await other.start()
  expect(await told).toMatchObject([{ ok: true, stored: [{ seq: 2 }] }])
  await takeOver(other)
})

// A commit of which nothing is heard is given up after twelve seconds, and looked for during ten more.
it.runIf(LONG)(
  'F57 F62 a commit is in doubt where the only synchronous standby stays away, and others are refused',
  async () => {
    const address = await database()
    const other = await standby()
    await synchronous(primary)
    const [store, second] = [await open(address), await open(address, 'b')]
    await store.append([started()])
    await other.kill()
    const told = store.append([message(1)]).catch((error: unknown) => error)
    await aCommitWaits()
    expect(await refusal(second.append([message(2, 1)]))).toMatch(/The database is too busy\. It was left as it was\./)
    expect(await told).toBeInstanceOf(CommitInDoubt)
    await other.start()
    await until(
      () =>
        store.lastSeq().then(
          (seq) => seq === 2,
          () => false,
        ),
      'the commit',
    )
    expect(await second.append([message(2, 2)])).toMatchObject([{ ok: true, stored: [{ seq: 3 }] }])
    await takeOver(other)
  },
)

const TAKEOVERS = LONG ? 10 : 1
it(`F62 [I1] nothing that was told is missing after a synchronous standby took over, ${TAKEOVERS} times under load`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const address = await database()
  const [a, b] = [await open(address), await open(address, 'b')]
  const writers = startWriters([a, b])
  for (let times = 0; times < TAKEOVERS; times++) {
    await writers.more()
    const other = await standby()
    await synchronous(primary)
    // They waited for the standby, which has all before them then, and is the last to hear of anything.
    await writers.more()
    await other.kill()
    await Promise.race([aCommitWaits(), writers.more()])
    await primary.kill()
    await other.start()
    await takeOver(other)
    await writers.more()
  }
  report(`${TAKEOVERS} takeovers by a synchronous standby: ${await writers.check(a)}`)
  expect(await b.lastSeq()).toBe(await a.lastSeq())
})

it('F63 F64 [I3] a standby is refused; one that takes over without the newest events ends who had read them, and them alone', async () => {
  const address = await database()
  const other = await standby()
  const direct = at(address, other.port)
  const [writer, reader, behind] = [await open(address), await open(address, 'b'), await open(address, 'c')]
  expect(writer.warnings).toEqual([expect.stringMatching(/standby that is not synchronous/)])
  await writer.append([started(), message(1)])
  await behind.hashAt(2)
  const arrived = async () => (await other.sql('SELECT FROM holdpoint.events', direct)).length === 2
  await until(() => arrived().catch(() => false), 'the standby to have it')
  expect(await refusal(open(direct))).toMatch(/The server is a standby, which cannot be written to/)
  await other.kill()
  await writer.append([message(2)])
  await reader.hashAt(3)
  await primary.kill()
  await other.start()
  await takeOver(other)
  for (const call of [() => writer.append([message(3)]), () => reader.append([message(3)]), () => reader.lastSeq()])
    expect(await refusal(call())).toMatch(/^StoreFault: The log is not the one that was read before/)
  expect(await behind.append([message(9, 2)])).toMatchObject([{ ok: true, stored: [{ seq: 3 }] }])
  const next = await open(address)
  expect(await next.append([message(10, 3)])).toMatchObject([{ ok: true, stored: [{ seq: 4 }] }])
  expect((await next.verify()).fault).toBeUndefined()
})
