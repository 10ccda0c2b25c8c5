import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { overrideStore } from '@holdpoint/testing/override-store'
import {
  eventsOf,
  sampleAppend,
  sampleAsk,
  sampleSession,
  sessionId,
} from '@holdpoint/testing/store-contract/store-samples'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it, onTestFinished } from 'vitest'
import { createLog } from '../system/log.ts'
import { createRecordCheck } from './record-check.ts'

interface Status {
  readonly record: { readonly state: string; readonly problem?: string; readonly events?: number }
}

/** A record with one session that is over. */
async function makeRecord() {
  const dataDir = mkdtempSync(join(tmpdir(), 'hp-record-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const path = join(dataDir, 'holdpoint.db')
  const store = await openSqliteStore({ path })
  const dead = sampleSession(1, { state: 'dead' })
  const events = [eventsOf(1).started(dead), eventsOf(1).raised(sampleAsk(1)), eventsOf(1).settled(1)]
  await store.append([sampleAppend({ after: 0, events, session: dead })])
  await store.close()
  return { dataDir, path }
}

async function startOn(record: { dataDir: string; path: string }) {
  const store = await openSqliteStore({ path: record.path })
  const time = createManualClock()
  const test = await startTestGateway({ store, dataDir: record.dataDir, clock: time.clock })
  onTestFinished(async () => {
    await test[Symbol.asyncDispose]()
    await store.close()
  })
  const status = async () => (await test.api.ok<Status>('GET', '/api/status')).record
  const checked = () =>
    until(async () => {
      time.advance(5000)
      const record = await status()
      return record.state !== 'not-checked' && record.state !== 'checking' ? record : undefined
    }, 'the check')
  return { test, status, checked }
}

it('F55 checks every event beside the work, and says in status and metrics that they match', async () => {
  const { test, status, checked } = await startOn(await makeRecord())
  expect(await status()).toEqual({ state: 'not-checked' })
  expect(await checked()).toMatchObject({ state: 'events-match', events: 3 })
  expect((await test.api.call<string>('GET', '/metrics')).body).toMatch(/^holdpoint_record_events_match 1$/m)
})

it('F55 names what was changed in a session that is over, though the start did not read it', async () => {
  const record = await makeRecord()
  const connection = (await loadSqliteDriver()).open(record.path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec(`UPDATE events SET data = replace(data, '"allowed"', '"denied"') WHERE seq = 3`)
  connection.close()
  const { test, checked } = await startOn(record)
  const found = await checked()
  expect(found).toMatchObject({
    state: 'damaged',
    problem: expect.stringContaining(`event 3 (number 3 of ${sessionId(1)})`),
  })
  expect((await test.api.call<string>('GET', '/metrics')).body).toMatch(/^holdpoint_record_events_match 0$/m)
  expect(test.logged.some((line) => line.includes('"event":"record_damaged"'))).toBe(true)
})

it('F55 looks again once a day, whatever the last check found, and not once it is closed', async () => {
  const time = createManualClock()
  const whole = await createMemoryStore().verify()
  const fault = { sessionId: sessionId(1), seq: 3, sessionSeq: 3, problem: 'it does not match its hash' }
  const results = [async () => whole, async () => ({ ...whole, fault }), () => Promise.reject(new Error('no disk'))]
  let looks = 0
  const verify = () => results[looks++ % results.length]?.() ?? Promise.reject(new Error('no result'))
  const store = overrideStore(createMemoryStore(), { verify })
  const check = createRecordCheck({
    store,
    clock: time.clock,
    log: createLog({ level: 'error', now: time.clock.now, write: () => {} }),
    isOlder: false,
  })
  check.start()
  expect(looks).toBe(0)
  time.advance(5000)
  for (const state of ['events-match', 'damaged', 'failed', 'events-match']) {
    await until(() => check.state().state === state, state)
    const before = looks
    time.advance(23 * 3_600_000)
    expect(looks).toBe(before)
    time.advance(3_600_000)
    expect(looks).toBe(before + 1)
  }
  await until(() => check.state().state === 'damaged', 'the last check')
  check.close()
  const before = looks
  time.advance(48 * 3_600_000)
  expect(looks).toBe(before)
})

it('F55 plans no other check when it is closed in the middle of one', async () => {
  const time = createManualClock()
  const report = await createMemoryStore().verify()
  let looks = 0
  let end = (_: typeof report) => {}
  const verify = () => {
    looks++
    return new Promise<typeof report>((resolve) => {
      end = resolve
    })
  }
  const store = overrideStore(createMemoryStore(), { verify })
  const log = createLog({ level: 'error', now: time.clock.now, write: () => {} })
  const check = createRecordCheck({ store, clock: time.clock, log, isOlder: false })
  check.start()
  time.advance(5000)
  check.close()
  end(report)
  await until(() => check.state().state === 'events-match', 'its end')
  time.advance(48 * 3_600_000)
  expect(looks).toBe(1)
})
