import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import { acceptDamage } from '@holdpoint/store/accept-damage'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { eventsOf, sampleAppend, sampleAsk, sampleMessage, sampleSession } from './store-contract/store-samples.ts'
import { startTestGateway } from './test-gateway.ts'

/** The session whose record was changed. */
export const DAMAGED = 1
/** The one beside it, which is as it was written. */
export const WHOLE = 2

/**
 * A gateway on a record with two sessions that are over, each with a message and an ask that was answered. The outcome of
 * the first one's was changed in the file while no gateway ran.
 */
export async function startOnDamagedRecord({
  accept,
  ...given
}: {
  accept: boolean
  clock?: Clock
  webFolder?: string
}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'hp-damaged-'))
  const path = join(dataDir, 'holdpoint.db')
  const written = await openSqliteStore({ path })
  for (const n of [DAMAGED, WHOLE]) {
    const events = eventsOf(n)
    const session = sampleSession(n, { agent: 'synthetic', cwd: dataDir, state: 'dead', endReason: 'idle' })
    const all = [
      events.started(session),
      events.added(sampleMessage(n)),
      events.raised(sampleAsk(n)),
      events.settled(n),
    ]
    await written.append([sampleAppend({ n, after: 0, events: all, session })])
  }
  await written.close()
  const driver = await loadSqliteDriver()
  const connection = driver.open(path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec(`UPDATE events SET data = replace(data, '"phone"', '"tablet"') WHERE seq = 4`)
  connection.close()
  if (accept) await acceptDamage({ path, driver, now: () => 1_800_000_000_000 })
  const store = await openSqliteStore({ path })
  const test = await startTestGateway({ ...given, store, dataDir })
  return {
    ...test,
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]()
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
