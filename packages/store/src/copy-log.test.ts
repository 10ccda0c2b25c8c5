import { join } from 'node:path'
import { evolve } from '@holdpoint/core/session-view'
import type { Store } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { eventsOf, PERSON, sampleAppend, sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyLog } from './copy-log.ts'
import { fillSample, readSample } from './fixtures/sample-database.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { createMemoryStore } from './memory-store.ts'
import { createPostgresStore } from './postgres/postgres-store.ts'
import { openSqliteStore } from './sqlite-store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const USED = { costUsd: 0.5, inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 }

const sqlite = () => openSqliteStore({ path: join(temporaryFolder(), 'holdpoint.db') })
const postgres = async () =>
  createPostgresStore({ address: await server.createDatabase(), node: 'a', version: '1', checkTimes: false })

it.each([
  ['SQLite to PostgreSQL', sqlite, postgres],
  ['PostgreSQL to SQLite', postgres, sqlite],
])('copies a log from %s, with its places, hashes, tables and records', async (_, openFrom, openTo) => {
  const [from, to]: Store[] = await Promise.all([openFrom(), openTo()])
  if (!from || !to) throw new Error('two stores')
  await fillSample(from)
  const told: number[] = []
  const head = await copyLog(from, to, { onProgress: ({ events, of }) => told.push(events, of) })
  expect(await readSample(to)).toEqual(await readSample(from))
  expect((await to.verify()).head).toBe(head)
  expect(head).toBe((await from.verify()).head)
  expect(told.slice(-2)).toEqual([await from.lastSeq(), await from.lastSeq()])
  await Promise.all([from.close(), to.close()])
})

it.each([
  ['SQLite to PostgreSQL', sqlite, postgres],
  ['PostgreSQL to SQLite', postgres, sqlite],
  ['SQLite to SQLite', sqlite, sqlite],
  ['memory to SQLite', async () => createMemoryStore(), sqlite],
])('copies what is in the archive and what is left of deleted sessions, from %s (I9)', async (_, openFrom, openTo) => {
  const [from, to]: Store[] = await Promise.all([openFrom(), openTo()])
  if (!from || !to) throw new Error('two stores')
  await fillSample(from)
  for (const n of [1, 2]) {
    const id = sessionId(n)
    const say = async (event: DurableEvent) => {
      const live = await from.liveSession(id)
      if (!live) throw new Error('it is there')
      const view = {
        asks: new Map(live.asks.map((ask) => [ask.id, ask])),
        undelivered: new Map(),
        rules: [],
        queue: [],
        session: live.session,
      }
      const { session } = evolve(view, event)
      await from.append([{ sessionId: id, expectedSeq: live.seq, events: [event], session }])
    }
    await say(eventsOf(n).settled(n * 1000 + 99))
    await say(eventsOf(n).used(USED))
    await say(eventsOf(n).ended())
    if (n === 2) {
      await say({ type: 'session-deleted', sessionId: id, at: 1, by: PERSON })
      await from.retirement.erase(id)
      continue
    }
    const part = await from.retirement.write(id)
    if (!part) throw new Error('it can be retired')
    const { archive, events, head, sum } = part
    await say({ type: 'session-retired', sessionId: id, at: 1, archive, events, head, sum })
    await from.retirement.release(part)
  }
  await from.append([sampleAppend({ n: 3, after: 0, events: [eventsOf(3).started()] })])
  const head = await copyLog(from, to)
  const all = async (store: Store) => ({
    ...((await readSample(store)) as object),
    hashes: await Promise.all(Array.from({ length: 320 }, (__, seq) => store.hashAt(seq))),
    deleted: await store.session(sessionId(2)),
    usage: await store.usage({ from: 0, to: Number.MAX_SAFE_INTEGER, sessionIds: [sessionId(1)] }),
  })
  expect(await all(to)).toEqual(await all(from))
  expect((await to.usage({ from: 0, to: Number.MAX_SAFE_INTEGER })).sessions).toMatchObject([
    { id: sessionId(1), used: USED },
  ])
  expect((await to.verify()).head).toBe(head)
  expect(await to.retirement.unfinished()).toEqual([])
  // There its content is in the log again, until it is retired there.
  expect((await to.retirement.list({ before: Number.MAX_SAFE_INTEGER, limit: 9 })).sessions).toMatchObject([
    { session: { id: sessionId(1), retired: { at: 1 } } },
  ])
  await Promise.all([from.close(), to.close()])
})

it('goes on where it was cut off', async () => {
  const [from, to] = [await sqlite(), await sqlite()]
  await fillSample(from)
  const events = await from.events({ after: 0, limit: 1000 })
  const session = await from.liveSession(events[0]?.event.sessionId ?? ('' as never))
  if (!session) throw new Error('a session')
  const first = events.slice(0, 7).map(({ event }) => event)
  await to.append([{ sessionId: session.session.id, expectedSeq: 0, events: first, session: session.session }])
  await copyLog(from, to)
  expect(await readSample(to)).toEqual(await readSample(from))
  await Promise.all([from.close(), to.close()])
})

it('writes nothing beside another log, or beside records', async () => {
  const [from, other, records] = [createMemoryStore(), createMemoryStore(), createMemoryStore()]
  await fillSample(from)
  const [first] = await from.events({ after: 0, limit: 1 })
  const live = first && (await from.liveSession(first.event.sessionId))
  if (!first || !live) throw new Error('a session')
  const event = { ...first.event, at: 1 }
  await other.append([{ sessionId: event.sessionId, expectedSeq: 0, events: [event], session: live.session }])
  await expect(copyLog(from, other)).rejects.toThrow('there is another one')
  expect(await other.lastSeq()).toBe(1)
  await records.records.put('devices', 'a', 1)
  await expect(copyLog(from, records)).rejects.toThrow('has records already')
  expect(await records.lastSeq()).toBe(0)
})

it('ends when it is called off', async () => {
  const [from, to, stop] = [createMemoryStore(), createMemoryStore(), new AbortController()]
  await fillSample(from)
  stop.abort()
  await expect(copyLog(from, to, { signal: stop.signal })).rejects.toThrow('aborted')
  expect(await to.lastSeq()).toBe(0)
})
