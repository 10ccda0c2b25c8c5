import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { RecordDamaged, StoreFault } from '@holdpoint/core/store'
import type { AskId } from '@holdpoint/schema/id'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import {
  askId,
  eventsOf,
  itemId,
  sampleAppend,
  sampleAsk,
  sampleSession,
  sessionId,
} from '@holdpoint/testing/store-contract/store-samples'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptDamage } from './accept-damage.ts'
import { fillSample } from './fixtures/sample-database.ts'
import { SELECT_LOG_ROWS } from './fixtures/select-log-rows.ts'
import { sqliteDrivers } from './fixtures/sqlite-drivers.ts'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { type LogRow, rowHash } from './log-row.ts'
import { type SessionRow, sessionSum } from './session-row.ts'
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.ts'
import { SELECT_SESSION } from './sqlite-reader.ts'
import { openSqliteStore } from './sqlite-store.ts'

/** Says whether it changed anything. */
type Edit = (connection: SqliteConnection) => boolean

const logRow = (connection: SqliteConnection, seq: number) =>
  connection.prepare(`${SELECT_LOG_ROWS} WHERE seq = ?`).get([seq]) as LogRow

/** Changes an event's text; a forger also gives the row the hash that its new text has. */
const editEvent =
  (seq: number, from: string, to: string, forged: boolean): Edit =>
  (connection) => {
    const row = logRow(connection, seq)
    const data = row.data.replace(from, to)
    if (data === row.data) return false
    const hash = forged ? rowHash({ ...row, data }) : row.hash
    connection.prepare('UPDATE events SET data = ?, hash = ? WHERE seq = ?').run([data, hash, seq])
    return true
  }

const change =
  (sql: string, values: readonly (string | number)[]): Edit =>
  (connection) =>
    connection.prepare(sql).run(values).changes > 0

/** Changes what the session's row says, and the checksum with it. */
const editSession =
  (n: number, from: string, to: string): Edit =>
  (connection) => {
    const row = connection.prepare(`${SELECT_SESSION} WHERE id = ?`).get([sessionId(n)]) as SessionRow
    const data = row.data.replace(from, to)
    if (data === row.data) return false
    const values = [data, sessionSum({ ...row, data }), row.id]
    connection.prepare('UPDATE sessions SET data = ?, sum = ? WHERE id = ?').run(values)
    return true
  }

const TEXTS = [
  ['"kind":"allowed"', '"kind":"denied"'],
  ['"kind":"allow"', '"kind":"deny"'],
  ['"command":"ls"', '"command":"rm"'],
  ['Bash', 'Edit'],
  ['"epoch":1', '"epoch":2'],
  ['message', 'massage'],
  ['key', 'kez'],
] as const
const SESSION_TEXTS = [
  ['"trusted":false', '"trusted":true'],
  ['"gate":"default"', '"gate":"everything"'],
  ['"cwd":"/project"', '"cwd":"/"'],
  ['"epoch":1', '"epoch":2'],
  ['"permissionMode":"default"', '"permissionMode":"bypassPermissions"'],
  ['"afterMs":55000', '"afterMs":1000'],
] as const

const seq = fc.integer({ min: 1, max: 310 })
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(seq, fc.constantFrom(...TEXTS), fc.boolean())
      .map(([n, [from, to], forged]) => editEvent(n, from, to, forged)),
  },
  seq.map((n) => change('DELETE FROM events WHERE seq = ?', [n])),
  seq.map((n) => change('UPDATE asks SET settled_seq = NULL WHERE settled_seq >= ? AND settled_seq < ? + 6', [n, n])),
  seq.map((n) =>
    change('UPDATE asks SET delivered_seq = NULL WHERE delivered_seq >= ? AND delivered_seq < ? + 6', [n, n]),
  ),
  seq.map((n) =>
    change(
      'UPDATE asks SET settled_seq = settled_seq - 5 WHERE settled_seq > 10 AND settled_seq >= ? AND settled_seq < ? + 6',
      [n, n],
    ),
  ),
  seq.map((n) =>
    change("UPDATE items SET status = 'queued' WHERE status = 'sent' AND seq >= ? AND seq < ? + 12", [n, n]),
  ),
  fc.constant(change('UPDATE rules SET removed_seq = NULL WHERE removed_seq IS NOT NULL', [])),
  fc.constant(change('DELETE FROM rules WHERE removed_seq IS NULL', [])),
  fc.tuple(fc.constantFrom(1, 2), fc.constantFrom(...SESSION_TEXTS)).map(([n, [from, to]]) => editSession(n, from, to)),
)

describe.each(sqliteDrivers)('a log that was changed, on $name', (driver) => {
  async function sample() {
    const folder = temporaryFolder()
    const good = join(folder, 'good.db')
    const store = await openSqliteStore({ path: good, driver })
    await fillSample(store)
    await store.close()
    return { good, path: join(folder, 'edited.db') }
  }

  function editCopy(options: { good: string; path: string; driver: SqliteDriver; edit: Edit }): boolean {
    for (const suffix of ['-wal', '-shm']) rmSync(options.path + suffix, { force: true })
    copyFileSync(options.good, options.path)
    const connection = options.driver.open(options.path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    try {
      return options.edit(connection)
    } finally {
      connection.close()
    }
  }

  /** What a start says: nothing, when it goes on. */
  async function start(path: string): Promise<string | undefined> {
    const store = await openSqliteStore({ path, driver })
    try {
      await store.liveSessions()
      return undefined
    } catch (error) {
      if (!(error instanceof StoreFault) || error.code !== 'corrupt') throw error
      return error.message
    } finally {
      await store.close()
    }
  }

  it('T69 refuses to start on any edited row of a session that goes on, and names it', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const files = await sample()
    expect(await start(files.good)).toBeUndefined()
    let edits = 0
    const check = async (change: Edit) => {
      if (!editCopy({ ...files, driver, edit: change })) return
      edits++
      expect(await start(files.path)).toMatch(/record of ses_\w+ .*at event \d+ \(its number \d+\)|Event \d+/)
    }
    await fc.assert(fc.asyncProperty(edit, check), { numRuns: LONG ? 1000 : 40 })
    report(`T69: ${edits} edits of rows that matter, none started on`)
    expect(edits).toBeGreaterThan(LONG ? 400 : 10)
  })

  it('T69 names the outcome that was turned into its opposite', async () => {
    const files = await sample()
    editCopy({ ...files, driver, edit: editEvent(5, '"kind":"allowed"', '"kind":"denied"', true) })
    expect(await start(files.path)).toContain(`The record of ${sessionId(1)} was changed or damaged, at event 6`)
  })

  it('F23 finds the exact row wherever one of the last three was cut off, and lets nobody decide on it', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const files = await sample()
    const lengths = new Map<number, number>()
    editCopy({
      ...files,
      driver,
      edit: (connection) => {
        for (const n of [308, 309, 310]) lengths.set(n, logRow(connection, n).data.length)
        return false
      },
    })
    let cuts = 0
    for (const [n, length] of lengths) {
      for (let left = 0; left < length; left += LONG ? 1 : 47) {
        editCopy({
          ...files,
          driver,
          edit: change('UPDATE events SET data = substr(data, 1, ?) WHERE seq = ?', [left, n]),
        })
        const store = await openSqliteStore({ path: files.path, driver })
        expect((await store.verify()).fault).toMatchObject({ seq: n, sessionId: sessionId(2) })
        await expect(store.liveSessions()).rejects.toMatchObject({ code: 'corrupt' })
        await store.close()
        cuts++
      }
    }
    report(`F23: ${cuts} cuts`)
  })

  it('F23 starts again once somebody has accepted the damage, without the session that has it', async () => {
    const files = await sample()
    editCopy({ ...files, driver, edit: editEvent(308, 'rul_', 'rux_', false) })
    const accepted = await acceptDamage({ path: files.path, driver, now: () => 1_800_000_000_000 })
    expect(accepted).toMatchObject([{ sessionId: sessionId(2), seq: 308 }])
    const store = await openSqliteStore({ path: files.path, driver })
    expect((await store.liveSessions()).map(({ session }) => session.id)).toEqual([sessionId(1)])
    expect(await store.session(sessionId(2))).toMatchObject({ state: 'dead', endReason: 'record-damaged' })
    expect(await store.events({ after: 310, limit: 10 })).toMatchObject([
      {
        event: {
          type: 'session-ended',
          at: 1_800_000_000_000,
          error: { message: expect.stringContaining('event 308') },
        },
      },
    ])
    // It is over for good: nothing in it can be taken up again.
    await expect(store.liveSession(sessionId(2))).rejects.toMatchObject({ code: 'corrupt' })
    expect(await store.verify()).toMatchObject({ events: 311, accepted: 1 })
    expect((await store.verify()).fault).toBeUndefined()
    await store.close()
    expect(await acceptDamage({ path: files.path, driver, now: Date.now })).toEqual([])
  })

  it('F23 says so where a session that goes on cannot be read at all', async () => {
    const files = await sample()
    editCopy({
      ...files,
      driver,
      edit: change('UPDATE sessions SET data = substr(data, 2) WHERE id = ?', [sessionId(2)]),
    })
    const failed = acceptDamage({ path: files.path, driver, now: Date.now })
    await expect(failed).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('restore a backup'),
    })
  })

  it.each([false, true])(
    'T69 lists leave out what was changed and are full all the same (forged: %s)',
    async (forged) => {
      const { good, path } = await sample()
      // Of the session with the newest outcomes: a list has to read past all of them.
      const edited = { good, path, driver, edit: editEvent(160, '"kind":"allowed"', '"kind":"denied"', forged) }
      expect(editCopy(edited)).toBe(true)
      await acceptDamage({ path, driver, now: () => 1_800_000_000_000 })
      const store = await openSqliteStore({ path, driver })
      const pages: AskId[][] = []
      for (let before: AskId | undefined; ; before = pages.at(-1)?.at(-1)) {
        const page = await store.asks({ status: 'settled', limit: 7, ...(before && { before }) })
        pages.push(page.map(({ ask }) => ask.id))
        if (page.length < 7) break
      }
      expect(pages.map((page) => page.length)).toEqual([7, 7, 7, 7, 2])
      expect(pages.flat()).toEqual(Array.from({ length: 30 }, (_, index) => askId(1030 - index)))
      expect(await store.asks({ status: 'all', limit: 100, sessionId: sessionId(2) })).toEqual([])
      for (const read of [
        () => store.items({ sessionId: sessionId(2), limit: 1 }),
        () => store.item({ sessionId: sessionId(2), id: itemId(2001) }),
        () => store.ask(askId(2001)),
        () => store.liveSession(sessionId(2)),
      ])
        await expect(read()).rejects.toBeInstanceOf(RecordDamaged)
      const { sessions } = await store.endedSessions({ limit: 10 })
      expect(sessions).toMatchObject([{ id: sessionId(2), endReason: 'record-damaged' }])
      await store.close()
    },
  )

  it('T69 a list leaves out a session whose row was changed, and gives the next page all the same', async () => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    const store = await openSqliteStore({ path, driver })
    for (const n of [1, 2, 3]) {
      const dead = sampleSession(n, { state: 'dead', vendorSessionId: 'conversation' })
      await store.append([sampleAppend({ n, after: 0, events: [eventsOf(n).started(dead)], session: dead })])
    }
    await store.close()
    const connection = driver.open(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    connection.exec(`UPDATE sessions SET data = replace(data, '/project', '/') WHERE id = '${sessionId(2)}'`)
    connection.close()
    const again = await openSqliteStore({ path, driver })
    const first = await again.endedSessions({ limit: 2 })
    expect(first.sessions.map(({ id }) => id)).toEqual([sessionId(3)])
    const second = await again.endedSessions({ limit: 2, ...(first.nextBefore && { before: first.nextBefore }) })
    expect(second.sessions.map(({ id }) => id)).toEqual([sessionId(1)])
    const known = await again.endedSessionsOf('conversation')
    expect(known.map(({ id }) => id)).toEqual([sessionId(3), sessionId(1)])
    await expect(again.session(sessionId(2))).rejects.toBeInstanceOf(RecordDamaged)
    await again.close()
  })

  it('T69 a broken chain has no head, and one whose damage was accepted another than before', async () => {
    const folder = temporaryFolder()
    const files = { good: join(folder, 'good.db'), path: join(folder, 'edited.db'), driver }
    const store = await openSqliteStore({ path: files.good, driver })
    for (const n of [1, 2]) {
      // Over already: nothing is added to its chain when its damage is accepted.
      const dead = sampleSession(n, { state: 'dead' })
      const events = [eventsOf(n).started(dead), eventsOf(n).raised(sampleAsk(n))]
      await store.append([sampleAppend({ n, after: 0, events, session: dead })])
    }
    await store.close()
    const verify = async (path: string) => {
      const opened = await openSqliteStore({ path, driver })
      const report = await opened.verify()
      await opened.close()
      return report
    }
    const whole = await verify(files.good)
    expect(whole.head).toMatch(/^[0-9a-f]{64}$/)
    expect(editCopy({ ...files, edit: editEvent(2, 'ls', 'rm', false) })).toBe(true)
    const broken = await verify(files.path)
    expect(broken.fault).toMatchObject({ seq: 2 })
    expect(broken.head).toBeUndefined()
    await acceptDamage({ path: files.path, driver, now: () => 1_800_000_000_000 })
    const accepted = await verify(files.path)
    expect(accepted).toMatchObject({ accepted: 1, head: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(accepted.head).not.toBe(whole.head)
  })

  it('T69 serves nothing of ended sessions once a check has found that they were changed', async () => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    const store = await openSqliteStore({ path, driver })
    for (const n of [1, 2, 3]) {
      const dead = sampleSession(n, { state: 'dead' })
      const { started, raised, settled } = eventsOf(n)
      const events = [started(dead), raised(sampleAsk(n)), settled(n)]
      await store.append([sampleAppend({ n, after: 0, events, session: dead })])
    }
    await store.close()
    const connection = driver.open(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    for (const seq of [3, 9]) expect(editEvent(seq, '"allowed"', '"denied"', true)(connection)).toBe(true)
    connection.close()
    const again = await openSqliteStore({ path, driver })
    const served = async () => (await again.asks({ status: 'settled', limit: 10 })).map(({ ask }) => ask.sessionId)
    expect(await served()).toHaveLength(3)
    expect((await again.verify()).fault).toMatchObject({ sessionId: sessionId(1) })
    expect(await served()).toEqual([sessionId(2)])
    await expect(again.ask(askId(3))).rejects.toBeInstanceOf(RecordDamaged)
    expect(await again.session(sessionId(3))).toMatchObject({ endReason: 'record-damaged' })
    await again.close()
  })

  it('T46 notices that a whole session was removed after the damage of another one was accepted', async () => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    const store = await openSqliteStore({ path, driver })
    for (const n of [1, 2, 3, 4]) {
      const dead = sampleSession(n, { state: 'dead' })
      const events = [eventsOf(n).started(dead), eventsOf(n).raised(sampleAsk(n))]
      await store.append([sampleAppend({ n, after: 0, events, session: dead })])
    }
    await store.close()
    const edit = (...lines: string[]) => {
      const connection = driver.open(path)
      connection.exec('PRAGMA locking_mode = EXCLUSIVE')
      for (const line of lines) connection.exec(line)
      connection.close()
    }
    const verify = async () => {
      const opened = await openSqliteStore({ path, driver })
      const found = await opened.verify()
      await opened.close()
      return found
    }
    const accept = () => acceptDamage({ path, driver, now: () => 1_800_000_000_000 })
    edit("UPDATE events SET data = replace(data, 'ls', 'rm') WHERE seq = 2", 'DELETE FROM events WHERE seq = 8')
    expect(await accept()).toHaveLength(2)
    expect(await verify()).toMatchObject({ accepted: 2, head: expect.any(String) })
    const tables = ['events', 'asks', 'items', 'rules', 'places']
    edit(
      ...tables.map((table) => `DELETE FROM ${table} WHERE session_id = '${sessionId(2)}'`),
      `DELETE FROM sessions WHERE id = '${sessionId(2)}'`,
    )
    expect((await verify()).fault).toMatchObject({ problem: expect.stringContaining('the log goes up to') })
    await expect(accept()).rejects.toMatchObject({ message: expect.stringContaining('restore a backup') })
  })

  it('does not take up a session that has ended and was changed since (T69)', async () => {
    const path = join(temporaryFolder(), 'holdpoint.db')
    const store = await openSqliteStore({ path, driver })
    const one = eventsOf(1)
    const dead = sampleSession(1, { state: 'dead' })
    await store.append([
      sampleAppend({ after: 0, events: [one.started(dead), one.raised(sampleAsk(1))], session: dead }),
    ])
    await store.close()
    const connection = driver.open(path)
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    editEvent(2, 'ls', 'rm', true)(connection)
    connection.close()
    const again = await openSqliteStore({ path, driver })
    expect(await again.liveSessions()).toEqual([])
    await expect(again.liveSession(sessionId(1))).rejects.toMatchObject({ code: 'corrupt' })
    await again.close()
  })
})
