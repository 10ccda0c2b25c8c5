import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { eventsOf, sampleAppend, sampleAsk, sampleSession, sessionId } from '@holdpoint/testing/store-samples'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it, onTestFinished } from 'vitest'

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

it('F55 checks the whole record beside the work, and says in status and metrics that it is whole', async () => {
  const { test, status, checked } = await startOn(await makeRecord())
  expect(await status()).toEqual({ state: 'not-checked' })
  expect(await checked()).toMatchObject({ state: 'whole', events: 3 })
  expect((await test.api.call<string>('GET', '/metrics')).body).toMatch(/^holdpoint_record_whole 1$/m)
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
  expect((await test.api.call<string>('GET', '/metrics')).body).toMatch(/^holdpoint_record_whole 0$/m)
  expect(test.logged.some((line) => line.includes('the record is not whole'))).toBe(true)
})
