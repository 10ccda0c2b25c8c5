import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import {
  askId,
  eventsOf,
  SAMPLE_OUTCOME,
  sampleAppend,
  sampleAsk,
  sampleSession,
  sessionId,
} from '@holdpoint/testing/store-contract/store-samples'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPostgresUrl } from './address.ts'
import { postgresFault } from './fault.ts'
import { createPostgresStore } from './postgres-store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

it.each([
  ['NUL', 'a\0b'],
  ['halves of surrogate pairs', '\ud800 b \udfff'],
  [
    '3,000 characters',
    Array.from({ length: 3000 }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7919) % 20_000))).join(''),
  ],
])('keeps whatever agents choose, also with %s', async (_, odd) => {
  const address = await server.createDatabase()
  const store = await createPostgresStore({
    address,
    node: odd.replace(/[\0\p{Surrogate}]/gu, '').slice(0, 9),
    version: '1',
    checkTimes: false,
  })
  const events = eventsOf(1)
  const session = sampleSession(1, { cwd: odd, projectId: odd, vendorSessionId: odd, state: 'dead', title: odd })
  const ask = sampleAsk(1, {
    requestId: odd,
    toolUseId: odd,
    tool: { name: odd, input: { command: odd } },
    context: { cwd: odd, command: odd },
  })
  const outcome = { ...SAMPLE_OUTCOME, by: { device: odd, name: odd, role: 'owner' as const } }
  await store.append([
    sampleAppend({
      after: 0,
      events: [events.started(session), events.raised(ask), events.settled(1, outcome)],
      session,
    }),
  ])
  await store.records.put(odd, odd, odd)
  const key = { sessionId: sessionId(1), epoch: 1 }
  expect((await store.askByRequest({ ...key, requestId: odd }))?.ask).toEqual(ask)
  expect((await store.askByToolUse({ ...key, toolUseId: odd }))?.ask.id).toBe(askId(1))
  expect(await store.endedSessionsOf(odd)).toEqual([session])
  expect((await store.endedSessions({ limit: 5, projectId: odd })).sessions).toEqual([session])
  expect(await store.records.list(odd)).toEqual([{ key: odd, value: odd }])
  expect(await store.records.collections()).toEqual([odd])
  expect(await store.historyChoices({})).toEqual({ tools: [odd], projects: [odd], devices: [{ id: odd, name: odd }] })
  for (const filter of [{ tool: odd }, { project: odd }, { device: odd }]) {
    expect((await store.history({ ...filter, limit: 5 })).records.map((record) => record.ask.id)).toEqual([askId(1)])
  }
  await store.indexCalls(() => ({ text: odd, about: ` ${odd} `, stem: odd }), { pause: async () => {} })
  expect(await store.pastCalls({ from: 0, about: odd })).toMatchObject([{ call: odd, project: odd }])
  expect(await store.allowedCalls({ min: 1 })).toMatchObject([{ calls: [odd], project: odd }])
  expect((await store.verify()).fault).toBeUndefined()
  await store.close()
})

describe('an address', () => {
  const read = (text: string) => readPostgresUrl(text)
  it.each([
    ['postgres://user:half@of/secret@db.example/log', '%2F'],
    ['postgres://user:half@of/secret/log', '%2F'],
    ['postgres://user:half@of/db#secret@db.example/log', '%23'],
  ])('T72 takes no part of a password for the host or the database: %s', (text, word) => {
    expect(() => read(text)).toThrow(word)
    expect(() => read(text)).not.toThrow(/half|secret/)
  })

  it('is read in its parts', () => {
    expect(read('postgres://some%20one:p%40ss@db.example:6000/log')).toEqual({
      passwordFile: expect.stringMatching(/^\/.*pgpass/),
      host: 'db.example',
      port: 6000,
      user: 'some one',
      password: 'p@ss',
      database: 'log',
      tls: true,
    })
    expect(read('postgresql://a@[::1]/b')).toMatchObject({
      host: '::1',
      port: 5432,
      user: 'a',
      database: 'b',
      tls: false,
    })
    expect(read('postgres://a@/b?host=/run/postgresql')).toMatchObject({ host: '/run/postgresql', tls: false })
    expect(read('postgres://a@127.0.0.1/b?sslmode=verify-full')).toMatchObject({ tls: true })
  })

  it.each(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'no-verify', 'odd'])(
    'is refused with sslmode=%s, except on this machine',
    (mode) => {
      expect(() => read(`postgres://a:secret@db.example/b?sslmode=${mode}`)).toThrow(/sslmode/)
      // A name that only begins as one of this machine.
      expect(() => read(`postgres://a:secret@127.0.0.1.example/b?sslmode=${mode}`)).toThrow(/sslmode/)
      if (mode !== 'odd') expect(read(`postgres://a@localhost/b?sslmode=${mode}`)).toMatchObject({ tls: false })
    },
  )

  it.each([
    '',
    'secret',
    'mysql://a:secret@b/c',
    'postgres://a:secret@b:99999/c',
    'postgres://:secret@b/c',
    'postgres://a:secret@b',
    'postgres://a:secret@/b',
    'postgres://a:secret@b/c?ssl=secret',
    'postgres://a:1/2?secret@b/c',
    'postgres://a:secret%@b/c',
  ])('is refused without the password in the message: %s', (text) => {
    expect(() => read(text)).toThrow(/^The address of the database cannot be used/)
    expect(() => read(text)).not.toThrow(/secret/)
  })
})

it.each([
  ['53100', 'full'],
  ['53300', 'busy'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
  ['XX001', 'corrupt'],
  ['57P01', 'io'],
  ['42501', 'io'],
  ['42P01', 'io'],
])('gives the code %s of PostgreSQL as %s', (code, expected) => {
  const error = Object.assign(new pg.DatabaseError('words', 5, 'error'), { code })
  expect(postgresFault(error, 'the database')).toMatchObject({ code: expected, cause: error })
})
