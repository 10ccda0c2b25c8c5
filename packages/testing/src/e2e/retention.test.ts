import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import { say } from '@holdpoint/demo-model/script'
import type { ItemPage } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BuiltGateway, runCommand, startBuiltGateway } from '../built-gateway.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { claudeEnvironment } from '../real-claude.ts'
import { until } from '../until.ts'

/** Two hundred days ago. */
const CLOCK = `const Right = Date
globalThis.Date = class Date extends Right {
  constructor(...given) { super(...(given.length ? given : [Date.now()])) }
  static now() { return Right.now() - 200 * 86_400_000 }
}
`
const DAMAGED = 200

let root: string
let dataDir: string
let model: DemoModel
let server: PostgresServer
let env: Record<string, string>
/** The session that is retired. */
let id: Session['id']
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'hp-retention-'))
  dataDir = join(root, 'data')
  for (const name of ['home', 'data', 'project']) mkdirSync(join(root, name), { mode: 0o700 })
  writeFileSync(join(root, 'clock.mjs'), CLOCK)
  model = await startDemoModel({ script: () => say('It is done, and I remember it.') })
  env = claudeEnvironment({ home: join(root, 'home'), url: model.url })
  server = await startPostgres()
})
afterAll(async () => {
  await model.close()
  await server[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const start = (args: readonly string[] = [], more: Record<string, string> = {}) =>
  startBuiltGateway({ dataDir, args, env: { ...env, ...more } })
const read = (gateway: BuiltGateway, id: string) => gateway.api.ok<Session>('GET', `/api/sessions/${id}`)
const texts = async (gateway: BuiltGateway, id: string) =>
  (await gateway.api.ok<ItemPage>('GET', `/api/sessions/${id}/items`)).items.map((item) =>
    'text' in item ? item.text : item.type,
  )
const idle = (gateway: BuiltGateway, id: string) =>
  until(async () => (await read(gateway, id)).state === 'user_turn', 'the end of the turn')

/** Resumes the session with the real agent, and has it end again. */
async function goOn(gateway: BuiltGateway, id: string, prompt: string) {
  await gateway.api.ok('POST', '/api/sessions', { agent: 'claude', resume: id, prompt })
  await idle(gateway, id)
  const found = await texts(gateway, id)
  expect(found.some((text) => text.includes('was in the archive of') && text.includes('goes on'))).toBe(true)
  expect(found).toContain('Remember this')
  expect(found.filter((text) => text.includes('I remember it'))).toHaveLength(2)
  // The agent, too, has the conversation as it was.
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Remember this')
  expect((await read(gateway, id)).retired).toBeUndefined()
}

it('archives a month, finds a changed byte of it, and resumes a session of it: in a data folder (I9)', async () => {
  const before = await start([], { NODE_OPTIONS: `--import=${join(root, 'clock.mjs')}` })
  const begin = { agent: 'claude', cwd: join(root, 'project'), prompt: 'Remember this' }
  id = (await before.api.ok<Session>('POST', '/api/sessions', begin)).id
  await idle(before, id)
  await before.api.ok('DELETE', `/api/sessions/${id}`)
  await before[Symbol.asyncDispose]()

  const gateway = await start(['--keep', '90d'])
  const { archive } = await until(async () => (await read(gateway, id)).retired, 'the archive')
  await until(
    () => gateway.stderr().includes('sessions_retired') || gateway.stderr().includes('moved to the archive'),
    'its end',
  )
  expect(await texts(gateway, id)).toContain('Remember this')
  await gateway[Symbol.asyncDispose]()

  const verify = (args: readonly string[] = ['--data', dataDir]) => runCommand(['verify', ...args], { home: dataDir })
  expect(await verify()).toMatchObject({ code: 0, stderr: expect.stringContaining('The record is intact') })
  expect(readdirSync(join(dataDir, 'archive'))).toEqual([`${archive}.hpa`])
  const file = join(dataDir, 'archive', `${archive}.hpa`)
  const bytes = readFileSync(file)
  const damaged = Buffer.from(bytes)
  damaged[DAMAGED] = (damaged[DAMAGED] ?? 0) ^ 1
  writeFileSync(file, damaged)
  const broken = await verify()
  expect(broken.code).toBe(1)
  expect(broken.stderr).toContain('NOT intact')
  expect(broken.stderr).toContain(`archive/${archive}.hpa`)
  expect(broken.stderr).toContain(id)
  writeFileSync(file, bytes)

  cpSync(dataDir, join(root, 'copy'), { recursive: true })

  const after = await start()
  await goOn(after, id, 'And go on')
  const running = await after.command(['sessions', 'delete', id, '--yes'])
  expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining('still running') })
  await after.api.ok('DELETE', `/api/sessions/${id}`)
  const deleted = await after.command(['sessions', 'delete', id, '--yes'])
  expect(deleted, deleted.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Deleted: “Remember this”'),
  })
  expect((await read(after, id)).deleted).toBeDefined()
  await after[Symbol.asyncDispose]()
  expect(await verify()).toMatchObject({ code: 0 })
})

it('the same in PostgreSQL, with a log that was moved there with its archive (I9)', async () => {
  dataDir = join(root, 'copy')
  const address = await server.createDatabase()
  const moved = await runCommand(['migrate', '--from', dataDir, '--to', address], { home: dataDir })
  expect(moved, moved.stderr).toMatchObject({ code: 0 })

  const gateway = await start(['--database', address, '--keep', '90d'])
  const left = () => server.sql(`SELECT count(*) FROM holdpoint.events WHERE data = ''`, address)
  await until(
    async () =>
      JSON.stringify(await left()) !== JSON.stringify([{ count: '0' }]) &&
      gateway.stderr().includes('moved to the archive'),
    'its end',
  )
  expect(await texts(gateway, id)).toContain('Remember this')
  const verify = () => runCommand(['verify', '--database', address], { home: dataDir })
  const flip = 'UPDATE holdpoint.archive_blocks SET bytes = set_byte(bytes, 100, get_byte(bytes, 100) # 1)'
  await server.sql(flip, address)
  const broken = await verify()
  expect(broken.code).toBe(1)
  expect(broken.stderr).toContain('its part of the archive')
  expect(broken.stderr).toContain(id)
  await server.sql(flip, address)
  await goOn(gateway, id, 'And go on')
  await gateway.api.ok('DELETE', `/api/sessions/${id}`)
  await gateway[Symbol.asyncDispose]()
  expect(await verify()).toMatchObject({ code: 0 })
})
