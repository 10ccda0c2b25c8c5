import { join } from 'node:path'
import type { Store } from '@holdpoint/core/store'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
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
