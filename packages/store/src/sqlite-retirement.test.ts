import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { Store } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import { LONG, report as tell } from '@holdpoint/testing/long'
import {
  askId,
  eventsOf,
  PERSON,
  sampleAppend,
  sampleAsk,
  sampleMessage,
  sampleSession,
  sessionId,
} from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import { acceptDamage } from './accept-damage.ts'
import { buildChild, killChild, startChild } from './fixtures/child.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { loadSqliteDriver } from './sqlite-driver.ts'
import { openSqliteStore } from './sqlite-store.ts'

const FILE = 'archive/2023-11.hpa'
const AT = sampleSession(1).startedAt
const KILLS = LONG ? 150 : 4

/** What session `n` says, so that it is found wherever it is. */
const secret = (n: number, i: number) => `the secret ${i} of session number ${n} ${'.'.repeat(300)}`

async function fill(store: Store, sessions: number, messages = 40): Promise<void> {
  for (let n = 1; n <= sessions; n++) {
    const own = eventsOf(n)
    const events = [
      own.started(),
      own.raised(sampleAsk(n)),
      own.settled(n),
      own.delivered(n),
      ...Array.from({ length: messages }, (_, i) =>
        own.added(sampleMessage(n * 1000 + i, { text: secret(n, i), status: 'sent' })),
      ),
      own.ended(),
    ]
    await store.append([sampleAppend({ n, after: 0, events, session: { state: 'dead' } })])
  }
}

async function opened(sessions = 2) {
  const folder = temporaryFolder()
  const path = join(folder, 'holdpoint.db')
  const store = await openSqliteStore({ path })
  await fill(store, sessions)
  return { folder, path, store, file: join(folder, FILE) }
}

async function say(store: Store, n: number, event: DurableEvent): Promise<void> {
  const live = await store.liveSession(sessionId(n))
  if (!live) throw new Error('it is there')
  await store.append([{ sessionId: sessionId(n), expectedSeq: live.seq, events: [event], session: live.session }])
}

async function written(store: Store, n: number) {
  const part = await store.retirement.write(sessionId(n))
  if (!part) throw new Error('it can be retired')
  const { archive, events, head, sum } = part
  const event = { type: 'session-retired', sessionId: sessionId(n), at: AT, archive, events, head, sum } as const
  return { part, event }
}

async function retire(store: Store, n: number) {
  const { part, event } = await written(store, n)
  await say(store, n, event)
  expect(await store.retirement.release(part)).toBe(true)
  return part
}

async function remove(store: Store, n: number) {
  await say(store, n, { type: 'session-deleted', sessionId: sessionId(n), at: AT, by: PERSON })
  await store.retirement.erase(sessionId(n))
}

/** Whether these bytes are anywhere in a file. */
const has = (path: string, text: string) => readFileSync(path).includes(text)

async function edit(path: string, sql: string) {
  const connection = (await loadSqliteDriver()).open(path)
  // Without shared memory, a WAL file can be read under an exclusive lock only.
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec(sql)
  connection.close()
}

it('leaves no text in the log, and an archive that zcat prints', async () => {
  const { path, store, file } = await opened()
  await retire(store, 1)
  await store.close()
  expect(has(path, 'of session number 1')).toBe(false)
  expect(has(path, secret(2, 3))).toBe(true)
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ holdpoint: 'archive', session: sessionId(1), archive: '2023-11' })
  expect(lines).toHaveLength(46)
  expect(lines[10]).toContain(secret(1, 5))
})

it('finds any changed byte of an archive, names file and session, and shows nothing of it (I9, I4)', async () => {
  const { folder, store, file } = await opened()
  const [one, two] = [await retire(store, 1), await retire(store, 2)]
  await store.close()
  const size = one.bytes + two.bytes
  expect(statSync(file).size).toBe(size)
  for (const place of [0, 9, one.bytes - 1, one.bytes, one.bytes + 100, size - 1]) {
    const copy = mkdtempSync(join(tmpdir(), 'holdpoint-copy-'))
    cpSync(folder, copy, { recursive: true })
    const bytes = readFileSync(join(copy, FILE))
    bytes[place] = (bytes[place] ?? 0) ^ 1
    writeFileSync(join(copy, FILE), bytes)
    const damaged = await openSqliteStore({ path: join(copy, 'holdpoint.db') })
    const n = place < one.bytes ? 1 : 2
    const { fault, head } = await damaged.verify()
    expect(fault).toMatchObject({ sessionId: sessionId(n), problem: expect.stringContaining(`${FILE} (bytes`) })
    expect(head).toBeUndefined()
    await expect(damaged.ask(askId(n))).rejects.toThrow(/changed or damaged/)
    await expect(damaged.liveSession(sessionId(n))).rejects.toThrow(/changed or damaged/)
    expect(await damaged.ask(askId(3 - n))).toBeDefined()
    await damaged.close()
    rmSync(copy, { recursive: true })
  }
})

it('finds an archive that is missing or cut, and texts that nothing accounts for (I9)', async () => {
  const { path, store, file } = await opened(3)
  await retire(store, 1)
  const two = await retire(store, 2)
  await remove(store, 3)
  await store.close()
  const whole = readFileSync(file)
  const problem = async () => {
    const again = await openSqliteStore({ path })
    const { fault } = await again.verify()
    await again.close()
    return fault && `${fault.sessionId} ${fault.problem}`
  }
  expect(await problem()).toBeUndefined()
  truncateSync(file, whole.length - two.bytes)
  expect(await problem()).toMatch(`${sessionId(2)} its part of ${FILE}`)
  rmSync(file)
  expect(await problem()).toMatch(/is missing/)
  writeFileSync(file, whole)
  const edits: readonly (readonly [string, RegExp])[] = [
    [
      `UPDATE retired SET kind = 'deleted' WHERE session_id = '${sessionId(1)}'`,
      /none of its events says so|not told whole/,
    ],
    [`UPDATE events SET data = '' WHERE type = 'session-deleted'`, /none of its events says so/],
    [`UPDATE retired SET events = events + 1 WHERE kind = 'deleted'`, /none of its events says so/],
    [`DELETE FROM retired WHERE session_id = '${sessionId(2)}'`, /neither in the log nor/],
    [`UPDATE retired SET place = place + 1 WHERE session_id = '${sessionId(2)}'`, /is missing|was changed/],
    [`UPDATE events SET hash = prev_hash WHERE seq = 3`, /hash/],
    [`UPDATE events SET hash = prev_hash WHERE seq = 100`, /hash/],
  ]
  for (const [sql, words] of edits) {
    const saved = readFileSync(path)
    await edit(path, sql)
    expect(String(await problem()), sql).toMatch(words)
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    writeFileSync(path, saved)
  }
  expect(await problem()).toBeUndefined()
})

it('goes on without a session whose part is damaged, once that is accepted', async () => {
  const { path, store, file } = await opened()
  await retire(store, 1)
  await store.close()
  writeFileSync(file, readFileSync(file).fill(0, 50, 60))
  expect(await acceptDamage({ path, now: Date.now })).toMatchObject([{ sessionId: sessionId(1) }])
  const again = await openSqliteStore({ path })
  expect(await again.verify()).toMatchObject({ accepted: 1, head: expect.any(String) })
  expect(await again.session(sessionId(1))).toMatchObject({ endReason: 'record-damaged' })
  expect(await again.ask(askId(2))).toBeDefined()
  await again.close()
})

it('goes on after each point at which it can be cut off, with everything in one place at least (I9, F22)', async () => {
  const { path, store, file } = await opened(2)
  const before = await store.events({ after: 0, limit: 1000 })
  let current = store
  const reopened = async () => {
    await current.close()
    current = await openSqliteStore({ path })
    expect((await current.verify()).fault).toBeUndefined()
    expect((await current.events({ after: 0, limit: before.length })).map(({ hash }) => hash)).toEqual(
      before.map(({ hash }) => hash),
    )
    return current
  }
  // Written, and the log does not know: the next write takes its place.
  await written(current, 1)
  const { size } = statSync(file)
  await reopened()
  const { event } = await written(current, 1)
  expect(statSync(file).size).toBe(size)
  // The log knows, and nothing was removed: it can be retired again.
  await say(current, 1, event)
  await reopened()
  expect((await current.retirement.list({ before: AT + 1, limit: 9 })).sessions).toHaveLength(2)
  // In the middle of the removal.
  const { part, event: again } = await written(current, 1)
  await say(current, 1, again)
  const cut = new AbortController()
  const pause = async () => cut.abort()
  await expect(current.retirement.release(part, { pause, signal: cut.signal })).rejects.toThrow()
  await reopened()
  const [left] = await current.retirement.unfinished()
  expect(left).toEqual({ sessionId: sessionId(1), work: 'release' })
  if (left) await current.retirement.finish(left)
  expect(await current.retirement.unfinished()).toEqual([])
  await reopened()
  // While it is put back.
  await expect(current.retirement.restore(sessionId(1), { pause, signal: cut.signal })).rejects.toThrow()
  await reopened()
  expect(await current.retirement.restore(sessionId(1))).toBe(true)
  await reopened()
  // While it is deleted.
  await say(current, 2, { type: 'session-deleted', sessionId: sessionId(2), at: AT, by: PERSON })
  await expect(current.retirement.erase(sessionId(2), { pause, signal: cut.signal })).rejects.toThrow()
  await current.close()
  current = await openSqliteStore({ path })
  expect((await current.verify()).fault).toBeUndefined()
  expect(await current.retirement.unfinished()).toEqual([{ sessionId: sessionId(2), work: 'erase' }])
  await current.retirement.finish({ sessionId: sessionId(2), work: 'erase' })
  expect((await current.verify()).fault).toBeUndefined()
  await current.close()
})

it('loses nothing and changes nothing when the disk of the archive is full, and goes on when there is room (F20)', async (context) => {
  const { folder, store, file } = await opened(1)
  const disk = join(folder, 'archive')
  mkdirSync(disk)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status !== 0) {
    await store.close()
    return context.skip('mounting a small disk is not allowed here')
  }
  try {
    const own = eventsOf(9)
    const noise = Array.from({ length: 20 }, (_, n) =>
      own.added(sampleMessage(9000 + n, { text: randomBytes(10_000).toString('base64') })),
    )
    const events = [own.started(), ...noise, own.ended()]
    await store.append([sampleAppend({ n: 9, after: 0, events, session: { state: 'dead' } })])
    await retire(store, 1)
    const { size } = statSync(file)
    await expect(store.retirement.write(sessionId(9))).rejects.toMatchObject({ code: 'full' })
    expect(statSync(file).size).toBe(size)
    expect((await store.verify()).fault).toBeUndefined()
    expect(await store.events({ after: 0, sessionId: sessionId(9), limit: 99 })).toHaveLength(22)
    spawnSync('mount', ['-o', 'remount,size=4m', disk])
    await retire(store, 9)
    expect((await store.verify()).fault).toBeUndefined()
    await store.close()
  } finally {
    spawnSync('umount', ['-l', disk])
  }
})

it('leaves nothing of a deleted session on the disk, in the log or in an archive', async () => {
  const { path, folder, store, file } = await opened(3)
  await retire(store, 1)
  await retire(store, 2)
  await store.history({ limit: 10 })
  const { size } = statSync(file)
  await remove(store, 1)
  await remove(store, 3)
  expect(statSync(file).size).toBe(size)
  expect((await store.verify()).fault).toBeUndefined()
  await store.close()
  expect(gunzipSync(readFileSync(file)).toString()).not.toContain('of session number 1')
  expect(gunzipSync(readFileSync(file)).toString()).toContain(secret(2, 39))
  for (const n of [1, 3]) expect(has(path, `of session number ${n}`)).toBe(false)
  expect(dirname(path)).toBe(folder)
})

it('leaves nothing of a deleted session in an archive to which it was written without a record', async () => {
  const { path, store, file } = await opened(3)
  const two = await retire(store, 2)
  await written(store, 1)
  await store.close()
  const again = await openSqliteStore({ path })
  expect(gunzipSync(readFileSync(file)).toString()).toContain(secret(1, 3))
  expect(await again.verify()).toMatchObject({ unrecorded: [FILE], head: expect.any(String) })
  await remove(again, 1)
  expect(gunzipSync(readFileSync(file)).toString()).not.toContain('of session number 1')
  expect(statSync(file).size).toBe(two.bytes)
  expect(await again.verify()).toEqual(expect.not.objectContaining({ unrecorded: expect.anything() }))
  expect((await again.verify()).fault).toBeUndefined()
  await again.close()
})

it('takes no text from a session whose part went while another one was deleted (I9)', async () => {
  const { store, file } = await opened(2)
  const before = await store.events({ after: 0, sessionId: sessionId(2), limit: 99 })
  const { part, event } = await written(store, 2)
  await remove(store, 1)
  await say(store, 2, event)
  expect(await store.retirement.release(part)).toBe(false)
  expect((await store.events({ after: 0, sessionId: sessionId(2), limit: 99 })).slice(0, before.length)).toEqual(before)
  const { bytes } = await retire(store, 2)
  expect(statSync(file).size).toBe(bytes)
  expect((await store.verify()).fault).toBeUndefined()
  await store.close()
})

it('lets go of a part that was not recorded', async () => {
  const { store, file } = await opened(2)
  const two = await retire(store, 2)
  const { part } = await written(store, 1)
  expect(await store.retirement.release(part)).toBe(false)
  expect(statSync(file).size).toBe(two.bytes)
  await store.close()
})

it('keeps every text through kill -9 while sessions leave, come back and are deleted (I9, F22)', {
  timeout: LONG ? 900_000 : 60_000,
}, async () => {
  const programs = temporaryFolder()
  const program = await buildChild('retire-child', programs)
  const { path, store } = await opened(6)
  const doomed = [5, 6].map(sessionId)
  const before = (await store.events({ after: 0, limit: 10_000 })).filter(
    ({ event }) => !doomed.includes(event.sessionId),
  )
  await store.close()
  const seen = new Set<string>()
  for (let kill = 0; kill < KILLS; kill++) {
    const child = startChild(program, kill < KILLS / 2 ? [path] : [path, ...doomed])
    await once(child.stdout, 'data')
    // Not a wait for something: each round dies at another moment of the work.
    await setTimeout(30 + ((kill * 137) % 450))
    await killChild(child)
    const again = await openSqliteStore({ path })
    const { fault } = await again.verify()
    expect(fault).toBeUndefined()
    for (const { work } of await again.retirement.unfinished()) seen.add(work)
    const after = await again.events({ after: 0, limit: 100_000 })
    const hashes = new Map(after.map((stored) => [stored.seq, stored]))
    for (const stored of before) expect(hashes.get(stored.seq)).toEqual(stored)
    await again.close()
  }
  tell(`I9: ${KILLS} kills while sessions leave; cut off in ${[...seen].join(', ') || 'no removal'}`)
})
