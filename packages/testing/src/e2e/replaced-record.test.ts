import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Item } from '@holdpoint/schema/item'
import type { PolicyRule } from '@holdpoint/schema/policy'
import type { Session } from '@holdpoint/schema/session'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BuiltGateway, runCommand, startBuiltGateway } from '../built-gateway.ts'
import { LONG } from '../long.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { startProxy } from '../proxy.ts'
import { until } from '../until.ts'

/** The programs in dist/ on a database whose log is put back to an older one. */
let primary: PostgresServer
let standby: PostgresServer
let way: Awaited<ReturnType<typeof startProxy>>
let home: string
beforeAll(async () => {
  primary = await startPostgres()
  standby = await primary.standby()
  way = await startProxy()
  home = mkdtempSync(join(tmpdir(), 'hp-'))
})
afterAll(async () => {
  await way[Symbol.asyncDispose]()
  await standby[Symbol.asyncDispose]()
  await primary[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

const nameOf = (address: string) => address.split('/').at(-1)
const at = (address: string, port: number | string) => address.replace(/:\d+\//, `:${port}/`)

const REFUSED: readonly [string, () => Promise<string>, RegExp][] = [
  [
    'a standby',
    async () => {
      const address = await primary.createDatabase()
      await until(async () => {
        const there = await standby.sql(`SELECT FROM pg_database WHERE datname = '${nameOf(address)}'`)
        return there.length === 1
      }, 'the standby to have it')
      return at(address, standby.port)
    },
    /The server is a standby, which cannot be written to\. Connect to the primary\./,
  ],
  [
    'a database that is read-only',
    async () => {
      const address = await primary.createDatabase()
      await primary.sql(`ALTER DATABASE ${nameOf(address)} SET default_transaction_read_only = on`)
      return address
    },
    /The server or this user is set to read-only/,
  ],
  [
    'a database of something else',
    async () => {
      const address = await primary.createDatabase()
      await primary.sql('CREATE SCHEMA holdpoint; CREATE TABLE holdpoint.cluster (a int)', address)
      return address
    },
    /The schema "holdpoint" of .* is not one of Holdpoint/,
  ],
]
it.each(REFUSED)('F64 a start on %s ends with 1 and a sentence', async (_, address, sentence) => {
  const data = mkdtempSync(join(home, 'refused-'))
  const started = await runCommand(['start', '--port', '0', '--data', data, '--database', await address()])
  expect(started).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(sentence) })
  expect(started.stderr.trim().split('\n')).toHaveLength(1)
})

const REPLACED: readonly [
  string,
  { take: (address: string) => Promise<unknown>; put: (address: string) => Promise<unknown> },
][] = [
  [
    'a backup was restored',
    {
      take: (address) => primary.sql(`CREATE DATABASE ${nameOf(address)}_backup TEMPLATE ${nameOf(address)}`),
      async put(address) {
        const name = nameOf(address)
        await primary.sql(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
        await primary.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
        await primary.sql(`ALTER DATABASE ${name} RENAME TO ${name}_before`)
        await primary.sql(`ALTER DATABASE ${name}_backup RENAME TO ${name}`)
      },
    },
  ],
  [
    'a standby took over that had fallen behind',
    {
      async take() {
        const [newest] = await primary.sql('SELECT pg_current_wal_lsn() AS place')
        const arrived = `SELECT pg_last_wal_replay_lsn() >= '${newest?.place}' AS arrived`
        await until(async () => (await standby.sql(arrived))[0]?.arrived === true, 'the standby to have it')
        await standby.kill()
      },
      async put() {
        await primary.kill()
        await standby.start()
        await standby.sql('SELECT pg_promote()')
        way.connectTo(`http://127.0.0.1:${standby.port}`)
      },
    },
  ],
]
// Another server each time: what the store makes of it is tested where the store is.
it.each(LONG ? REPLACED : REPLACED.slice(0, 1))(
  'F63 F17 [I3] where %s, a gateway that runs ends with 1, and each start ends what may have been taken back',
  async (_, { take, put }) => {
    const address = await primary.createDatabase()
    way.connectTo(address.replace('postgres:', 'http:'))
    const database = at(address, new URL(way.url).port)
    const folder = mkdtempSync(join(home, 'data-'))
    // Each time with the data that its name had before.
    const start = (name: string) =>
      startBuiltGateway({
        dataDir: join(folder, name),
        token: 'of-a-replaced-record-0123456789abcdef0123456789',
        args: ['--database', database, '--machine-name', name],
      })
    const session = (gateway: BuiltGateway) =>
      gateway.api.ok<Session>('POST', '/api/terminals', {
        ...{ command: 'sleep', args: ['600'], cwd: home, env: { PATH: process.env.PATH }, cols: 80, rows: 24 },
      })

    let running = await start('running')
    expect(running.stderr()).toContain('database_at_risk')
    const { id } = await session(running)
    const scope = { kind: 'session', sessionId: id }
    const rule = { effect: 'allow', agent: '*', pattern: 'Deploy', scope }
    const added = await running.api.ok<PolicyRule>('POST', '/api/policy/rules', rule)
    await running.stop()
    await take(address)

    running = await start('running')
    let stopped = await start('stopped')
    expect((await running.api.call('DELETE', `/api/policy/rules/${added.id}`)).status).toBe(204)
    const later = await session(running)
    await until(async () => (await stopped.api.call('GET', `/api/sessions/${later.id}`)).status === 200, 'the session')
    expect(await stopped.stop()).toMatchObject({ code: 0 })
    await put(address)
    const ended = await running.exited
    expect(ended).toMatchObject({ code: 1, signal: null })
    expect(ended.stderr).toMatch(/"record_replaced".*The log in the database is not the one that was read before/)

    running = await start('running')
    stopped = await start('stopped')
    for (const gateway of [running, stopped]) expect(gateway.stderr()).toContain('record_is_older')
    const { rules } = await running.api.ok<{ rules: PolicyRule[] }>('GET', '/api/policy')
    expect(rules).toEqual([])
    const { items } = await running.api.ok<{ items: Item[] }>('GET', `/api/sessions/${id}/items`)
    expect(items.map((item) => (item.type === 'notice' ? item.text : ''))).toContainEqual(
      expect.stringContaining('The record was replaced by an older one'),
    )
    await stopped[Symbol.asyncDispose]()
    await running[Symbol.asyncDispose]()
  },
)
