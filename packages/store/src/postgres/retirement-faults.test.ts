import type { Store } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import {
  askId,
  eventsOf,
  nodeId,
  PERSON,
  sampleAppend,
  sampleAsk,
  sampleMessage,
  sampleSession,
  sessionId,
} from '@holdpoint/testing/store-contract/store-samples'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { readPostgresUrl } from './address.ts'
import { openPostgresCluster } from './open-cluster.ts'
import { verifyDatabase } from './verify-database.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const id = sessionId(1)
const one = eventsOf(1)
const AT = sampleSession(1).startedAt

async function join(address: string, n: number): Promise<Store> {
  const options = { address, node: nodeId(n), version: '1', name: `machine ${n}`, checkTimes: false }
  const { store, cluster } = await openPostgresCluster(options)
  onTestFinished(async () => {
    await cluster.close()
    await store.close()
  })
  return store
}

/** Two gateways on one log with a session of 204 events that has ended. */
async function twoGateways() {
  const address = await server.createDatabase()
  const a = await join(address, 1)
  const messages = Array.from({ length: 200 }, (_, n) => one.added(sampleMessage(n + 1, { text: `message ${n}` })))
  const events = [one.started(), one.raised(sampleAsk(1)), one.settled(1), ...messages, one.ended()]
  await a.append([sampleAppend({ after: 0, events, session: { state: 'dead' } })])
  return { address, a, b: await join(address, 2), last: events.length }
}

async function begun(store: Store, after: number) {
  const part = await store.retirement.write(id)
  if (!part) throw new Error('it can be retired')
  const { archive, events, head, sum } = part
  const event: DurableEvent = { type: 'session-retired', sessionId: id, at: AT, archive, events, head, sum }
  await store.append([sampleAppend({ after, events: [event], session: { state: 'dead' } })])
  return part
}

const read = (store: Store) => store.events({ after: 0, sessionId: id, limit: 1000 })

it('what one gateway retires the other one reads, resumes and deletes, also while it is being retired (I9)', async () => {
  const { address, a, b, last } = await twoGateways()
  const before = await read(b)
  const part = await begun(a, last)
  let steps = 0
  // In the middle of the removal the other gateway takes the session back.
  const pause = async () => {
    if (++steps === 2) expect(await b.retirement.restore(id)).toBe(true)
    expect((await read(b)).slice(0, last)).toEqual(before)
  }
  await a.retirement.release(part, { pause })
  expect(steps).toBeGreaterThan(1)
  expect((await read(a)).slice(0, last)).toEqual(before)
  expect((await verifyDatabase(readPostgresUrl(address))).fault).toBeUndefined()
  expect(await b.retirement.unfinished()).toEqual([])

  await a.retirement.release(await begun(a, last + 1))
  expect((await read(b)).slice(0, last)).toEqual(before)
  expect(await b.ask(askId(1))).toBeDefined()
  const deleted = { type: 'session-deleted', sessionId: id, at: AT, by: PERSON } as const
  await b.append([sampleAppend({ after: last + 2, events: [deleted], session: { state: 'dead' } })])
  expect(await b.retirement.erase(id)).toBe(true)
  expect((await read(a)).map(({ event }) => event.type)).toEqual(['session-deleted'])
  expect(await a.ask(askId(1))).toBeUndefined()
  expect(await server.sql('SELECT count(*)::int FROM holdpoint.archive_blocks', address)).toEqual([{ count: 0 }])
  const { fault, events } = await verifyDatabase(readPostgresUrl(address))
  expect({ fault, events }).toEqual({ fault: undefined, events: last + 3 })
})

it('removes nothing of a session that another gateway has resumed meanwhile, and goes on where it was cut off (I9)', async () => {
  const { address, a, b, last } = await twoGateways()
  const part = await begun(a, last)
  const changes = { state: 'starting', epoch: 2 } as const
  const resumed = { type: 'session-changed', sessionId: id, at: AT, changes } as const
  await b.append([sampleAppend({ after: last + 1, events: [resumed], session: changes })])
  expect(await a.retirement.release(part)).toBe(false)
  await b.append([sampleAppend({ after: last + 2, events: [one.ended()], session: { ...changes, state: 'dead' } })])
  const again = await a.retirement.write(id)
  if (!again) throw new Error('it can be retired')
  const { archive, events, head, sum } = again
  const event: DurableEvent = { type: 'session-retired', sessionId: id, at: AT, archive, events, head, sum }
  await a.append([sampleAppend({ after: last + 3, events: [event], session: { epoch: 2, state: 'dead' } })])
  const cut = new AbortController()
  const pause = async () => cut.abort()
  await expect(a.retirement.release(again, { pause, signal: cut.signal })).rejects.toThrow()
  expect((await verifyDatabase(readPostgresUrl(address))).fault).toBeUndefined()
  const [left] = await b.retirement.unfinished()
  expect(left).toEqual({ sessionId: id, work: 'release' })
  if (left) await b.retirement.finish(left)
  expect(await b.retirement.unfinished()).toEqual([])
  const [{ count } = {}] = await server.sql(`SELECT count(*)::int FROM holdpoint.events WHERE data = ''`, address)
  expect(count).toBe(last + 3)
  expect(await read(b)).toHaveLength(last + 4)
  expect((await verifyDatabase(readPostgresUrl(address))).fault).toBeUndefined()
})

it('keeps no block of a session that one gateway deletes while the other one writes it', async () => {
  const { address, a, b, last } = await twoGateways()
  const blocks = () => server.sql('SELECT count(*)::int FROM holdpoint.archive_blocks', address)
  let steps = 0
  const pause = async () => {
    // All is read, and the last block is not written.
    if (++steps < Math.ceil(last / 64)) return
    const deleted = { type: 'session-deleted', sessionId: id, at: AT, by: PERSON } as const
    await b.append([sampleAppend({ after: last, events: [deleted], session: { state: 'dead' } })])
    expect(await b.retirement.erase(id)).toBe(true)
  }
  expect(await a.retirement.write(id, { pause })).toBeUndefined()
  expect(steps).toBe(4)
  expect(await blocks()).toEqual([{ count: 0 }])
})

it('lets go of the blocks of a session that was not recorded', async () => {
  const { address, a } = await twoGateways()
  const part = await a.retirement.write(id)
  expect(part && (await a.retirement.release(part))).toBe(false)
  expect(await server.sql('SELECT count(*)::int FROM holdpoint.archive_blocks', address)).toEqual([{ count: 0 }])
})
