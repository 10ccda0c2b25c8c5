import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type LogRow, rowHash } from '@holdpoint/store/log-row'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { SELECT_LOG_ROWS } from '@holdpoint/store/testing/select-log-rows'
import { makeLongPast } from '@holdpoint/testing/long-past'
import { sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { startGatewayProcess, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, short } from '../statistics.ts'

const SESSIONS = Number(process.env.HOLDPOINT_BENCH_SESSIONS ?? 10_000)
const LIVE = 20
/** Calls of each session, each of which leads to four events. */
const CALLS = 40
const STARTS = 3

/** A gateway with years of work behind it: what of that it still pays for. */
export async function longPast(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  const from = performance.now()
  const { events } = await makeLongPast(folder.path, { sessions: SESSIONS, calls: CALLS, live: LIVE })
  const path = join(folder.path, 'holdpoint.db')
  const megabytes = statSync(path).size / 1024 ** 2
  console.error(`made in ${short(performance.now() - from)} ms`)
  const past = `${events.toLocaleString('en')} events of ${SESSIONS.toLocaleString('en')} sessions, ${short(megabytes)} MB`

  const starts: { empty: number[]; past: number[] } = { empty: [], past: [] }
  for (let round = 0; round < STARTS; round++) {
    await using nothing = await temporaryFolder()
    starts.empty.push(await startMs(nothing.path))
    starts.past.push(await startMs(folder.path))
  }
  const ratio = median(starts.past) / median(starts.empty)

  const bareMs = await timed(() => readAndHash(path))
  const store = await openSqliteStore({ path })
  // As a gateway does after its start: the check of the index is part of `verify`.
  await store.indexHistory({ pause: async () => {} })
  let fault: unknown
  const verifyMs = await timed(async () => {
    fault = (await store.verify()).fault
  })
  if (fault) throw new Error(`the log is not whole: ${JSON.stringify(fault)}`)
  const pageMs = await timed(async () => {
    const page = await store.events({ after: 0, sessionId: sessionId(SESSIONS), limit: 100 })
    if (page.length !== 100) throw new Error(`${page.length} events`)
  })
  await store.close()

  return [
    {
      what: `start of the process until ready (${past}; ${LIVE} sessions live)`,
      measured: `${short(median(starts.past))} ms`,
      against: `empty ${short(median(starts.empty))} ms`,
      ratio,
      budget: '≤ 1.5 ×',
      met: ratio <= 1.5,
    },
    {
      what: `verify, ${past}`,
      measured: `${short(verifyMs / 1000)} s`,
      against: `a loop that reads and hashes the same rows ${short(bareMs / 1000)} s`,
      ratio: bareMs / verifyMs,
      budget: '≥ 0.7 × its speed',
      met: bareMs / verifyMs >= 0.7,
    },
    { what: `a hundred events of its newest session, ${past}`, measured: `${short(pageMs)} ms` },
  ]
}

async function startMs(dataDir: string): Promise<number> {
  await using gateway = await startGatewayProcess({ dataDir })
  return gateway.startMs
}

/** The least that a check of the log has to do. */
async function readAndHash(path: string): Promise<void> {
  const connection = (await loadSqliteDriver()).open(path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec('PRAGMA journal_mode = WAL')
  const page = connection.prepare(`${SELECT_LOG_ROWS} WHERE seq > ? ORDER BY seq LIMIT 2000`)
  for (let seq = 0; ; ) {
    const rows = page.all([seq]) as readonly LogRow[]
    for (const row of rows) if (rowHash(row) !== row.hash) throw new Error(`row ${row.seq}`)
    const last = rows.at(-1)
    if (!last) break
    seq = last.seq
  }
  connection.close()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}
