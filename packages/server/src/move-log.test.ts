import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Store } from '@holdpoint/core/store'
import { idMaker } from '@holdpoint/schema/id'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { readNodeId } from '@holdpoint/store/node-id'
import { readPostgresUrl } from '@holdpoint/store/postgres/address'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { eventsOf, sampleAppend, sampleMessage } from '@holdpoint/testing/store-contract/store-samples'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { moveLog } from './move-log.ts'
import { closeLog, type OpenedLog, openLog } from './open-log.ts'
import { createAttachmentFiles } from './services/attachment-files.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const SESSIONS = 5

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'hp-move-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const sqlite = (dataDir: string) => openSqliteStore({ path: join(dataDir, 'holdpoint.db') })

/** Sessions of a gateway that was alone: none of them names a node. */
async function fill(store: Store, events: number): Promise<void> {
  for (let n = 1; n <= SESSIONS; n++) {
    const of = eventsOf(n)
    const own = Math.floor(events / SESSIONS)
    const all = Array.from({ length: own - 1 }, (_, i) => of.added(sampleMessage(n * 1_000_000 + i)))
    for (let after = 0; after < own; after += 1000) {
      const page = [...(after === 0 ? [of.started()] : []), ...all.slice(Math.max(after - 1, 0), after + 999)]
      await store.append([sampleAppend({ n, after, events: page })])
    }
  }
  await store.records.put('devices', 'kept', { role: 'owner' })
}

async function prepared(events: number) {
  const dataDir = folder()
  const store = await sqlite(dataDir)
  await fill(store, events)
  const { head } = await store.verify()
  await store.close()
  const url = await server.createDatabase()
  const database = { address: readPostgresUrl(url), machineName: 'machine' }
  /** As a gateway opens it. */
  async function open(where: 'database' | 'folder', use: (log: OpenedLog) => unknown = () => {}, at = dataDir) {
    const lock = await lockDataFolder(at)
    try {
      const log = await openLog({ dataDir: at, lock, ...(where === 'database' && { database }) })
      await use(log)
      await closeLog(log)
    } finally {
      await lock.release()
    }
  }
  return { dataDir, url, database, head, open, move: (to: 'database' | 'folder') => moveLog({ dataDir, database, to }) }
}

it('moves a log into a database and back: the same head, the same records, and sessions of this machine', async () => {
  const { dataDir, database, head, open, move } = await prepared(500)
  await expect(open('database')).rejects.toThrow('has a log of its own')
  expect(await move('database')).toBe(head)
  await expect(open('folder')).rejects.toThrow(/was moved .* goes on in a database/)
  await open('database', async ({ store, cluster }) => {
    expect(cluster?.node).toBe(await readNodeId(dataDir))
    expect(cluster?.home).toBe(cluster?.node)
    expect(cluster?.nodes()).toMatchObject([{ name: 'machine', isReachable: true }])
    expect(await store.records.list('devices')).toEqual([{ key: 'kept', value: { role: 'owner' } }])
    await store.records.put('devices', 'newer', { role: 'viewer' })
    // What was revoked stays revoked where the log goes.
    await store.records.remove('devices', 'kept')
  })
  await expect(moveLog({ dataDir: folder(), database, to: 'folder' })).rejects.toThrow('came from the data folder of')
  expect(await move('folder')).toBe(head)
  await expect(open('database')).rejects.toThrow('has a log of its own')
  await open('folder', async ({ store, cluster }) => {
    expect(cluster).toBeUndefined()
    expect(await store.records.list('devices')).toEqual([{ key: 'newer', value: { role: 'viewer' } }])
    const [live] = await store.liveSessions()
    await store.append([sampleAppend({ after: live?.seq ?? 0, events: [eventsOf(1).added(sampleMessage(7))] })])
  })
  await expect(open('database', undefined, folder())).rejects.toThrow(/was moved .* goes on in a data folder/)
  expect(await move('database')).not.toBe(head)
  await open('database', async ({ store }) => expect(await store.lastSeq()).toBe(501))
})

it('leaves nothing in a folder that it refuses to move a log to', async () => {
  const database = { address: readPostgresUrl(await server.createDatabase()), machineName: 'machine' }
  const [one, other] = [folder(), folder()]
  const open = async (dataDir: string) => {
    const lock = await lockDataFolder(dataDir)
    await closeLog(await openLog({ dataDir, lock, database })).finally(() => lock.release())
  }
  await open(one)
  await open(other)
  await moveLog({ dataDir: one, database, to: 'folder' })
  await expect(moveLog({ dataDir: other, database, to: 'folder' })).rejects.toThrow('was moved before')
  expect(existsSync(join(other, 'holdpoint.db'))).toBe(false)
  await moveLog({ dataDir: one, database, to: 'database' })
  await open(other)
})

it('goes on after it was cut off, and no gateway starts on a part', async () => {
  const { dataDir, database, head, open, move } = await prepared(600)
  const stop = new AbortController()
  const cut = moveLog({ dataDir, database, to: 'database', signal: stop.signal, onProgress: () => stop.abort() })
  await expect(cut).rejects.toThrow('aborted')
  await expect(open('database', undefined, folder())).rejects.toThrow(/The log in the database .* is not whole/)
  const told: number[] = []
  const onProgress = ({ events }: { events: number }) => told.push(events)
  expect(await moveLog({ dataDir, database, to: 'database', onProgress })).toBe(head)
  expect(told).toEqual([600])
  await expect(move('database')).rejects.toThrow('was moved before')
})

it('moves nothing while a gateway works, and then brings back this machine’s records as the only one’s', async () => {
  const { dataDir, database, open } = await prepared(50)
  const [one, other] = [folder(), folder()]
  const trust =
    (at: string) =>
    async ({ store, cluster }: OpenedLog) =>
      store.records.put(`trusted-folders of ${cluster?.node}`, at, true)
  await open('database', trust(one), one)
  await open(
    'database',
    async (log) => {
      await trust(other)(log)
      await expect(moveLog({ dataDir: one, database, to: 'folder' })).rejects.toThrow('still use the database')
      await expect(moveLog({ dataDir: other, database, to: 'folder' })).rejects.toThrow('"holdpoint stop"')
    },
    other,
  )
  await moveLog({ dataDir: one, database, to: 'folder' })
  const store = await sqlite(one)
  expect(await store.records.list('trusted-folders')).toEqual([{ key: one, value: true }])
  await store.close()
  await expect(moveLog({ dataDir, database, to: 'database' })).rejects.toThrow('has records already')
})

it('moves nothing where a gateway has started meanwhile, which goes on', async () => {
  const { dataDir, url, head, open, move } = await prepared(50)
  const local = await sqlite(dataDir)
  await local.records.put('attachments', 'att_00000000000000000000000001', {})
  await local.close()
  await move('database')
  rmSync(join(dataDir, 'holdpoint.db'))
  const held = server.sql('BEGIN; LOCK TABLE holdpoint.attachment_parts; SELECT pg_sleep(60)', url).catch(() => {})
  const count = (of: string) => server.sql(`SELECT pid FROM pg_stat_activity WHERE ${of}`, url)
  await expect.poll(() => count(`wait_event = 'PgSleep'`)).toHaveLength(1)
  const moving = move('folder').catch(String)
  await expect.poll(() => count(`wait_event_type = 'Lock' AND query LIKE '%attachment_parts%'`)).toHaveLength(1)
  await open(
    'database',
    async ({ store, cluster }) => {
      await server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`, url)
      expect(await moving).toContain('still use the database')
      const event = { ...eventsOf(1).added(sampleMessage(7)), at: cluster?.now() ?? 0 }
      expect(await store.append([sampleAppend({ after: 10, events: [event] })])).toMatchObject([{ ok: true }])
    },
    folder(),
  )
  await held
  expect(await move('folder')).not.toBe(head)
})

it.each([
  ['on its connection', false],
  ['on a new one', true],
])('keeps a gateway that was not heard of from going on with a log that was moved, %s', async (_, isCut) => {
  const { dataDir, url, database, move } = await prepared(10)
  await move('database')
  rmSync(join(dataDir, 'holdpoint.db'))
  const at = folder()
  const lock = await lockDataFolder(at)
  const { store, cluster } = await openLog({ dataDir: at, lock, database })
  // Nothing is heard of it any more, and it is still there.
  await cluster?.close()
  const life = async () => (await server.sql(`SELECT epoch FROM holdpoint.nodes WHERE id = '${cluster?.node}'`, url))[0]
  const before = await life()
  await move('folder')
  // What it has under way is refused, also before its next look finds another log.
  expect(await life()).toEqual({ epoch: String(Number(before?.epoch) + 1) })
  const others = 'datname = current_database() AND pid <> pg_backend_pid()'
  if (isCut) await server.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`, url)
  const event = { ...eventsOf(1).added(sampleMessage(7)), at: cluster?.now() ?? 0 }
  const writing = store.append([sampleAppend({ after: 2, events: [event] })])
  await expect(writing).rejects.toMatchObject({ code: expect.stringMatching(/^(fenced|replaced)$/) })
  await store.close()
  await lock.release()
})

it.runIf(LONG)('moves 100,000 events there and back', { timeout: TIMEOUT_MS }, async () => {
  const { head, move } = await prepared(100_000)
  const began = performance.now()
  expect(await move('database')).toBe(head)
  const there = performance.now()
  expect(await move('folder')).toBe(head)
  report(`100,000 events: ${Math.round(there - began)} ms there, ${Math.round(performance.now() - there)} ms back`)
})

it('moves the files that people sent along with the log', async () => {
  const { dataDir, open, move } = await prepared(10)
  const files = createAttachmentFiles(join(dataDir, 'attachments'))
  const newId = idMaker({ now: Date.now, randomBytes })
  const [before, after] = [newId('att'), newId('att')]
  const local = await sqlite(dataDir)
  await local.records.put('attachments', before, { type: 'text/plain', size: 3 })
  await local.close()
  await files.write(before, Buffer.from('one'))
  await move('database')
  await open('database', async ({ store, attachmentBytes }) => {
    if (!attachmentBytes) throw new Error('no place for files')
    expect(await text(attachmentBytes.read(before))).toBe('one')
    await attachmentBytes.write(after, Buffer.from('two'))
    await store.records.put('attachments', after, { type: 'text/plain', size: 3 })
  })
  await move('folder')
  expect([await text(files.read(before)), await text(files.read(after))]).toEqual(['one', 'two'])
})
