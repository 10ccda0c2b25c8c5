import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { moveLog } from '@holdpoint/server/move-log'
import { readPostgresUrl } from '@holdpoint/store/postgres/address'
import { startPostgres } from '@holdpoint/testing/postgres-server'
import { inTurns } from '../alternating.ts'
import { type Child, startChild } from '../child.ts'
import { type GatewayParameters, startGatewayProcess, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, short } from '../statistics.ts'

const SESSIONS = 500
const PER_SESSION = 20
const ASKS = SESSIONS * PER_SESSION
const WARM_UP = 1
const STARTS = 6
const LOG = 'holdpoint.db'

/** Ten thousand asks that nobody has answered, in SQLite and, moved there, in PostgreSQL: how soon a gateway serves them. */
export async function sharedOpenAsks(): Promise<readonly Row[]> {
  await using server = await startPostgres()
  await using folder = await temporaryFolder()
  await using client = await startChild('client-main')
  const [dataDir, sharedDir] = [join(folder.path, 'sqlite'), join(folder.path, 'postgres')]
  await mkdir(dataDir)
  await raiseAll(dataDir)
  const database = { url: await server.createDatabase(), machineName: 'machine' }
  await mkdir(sharedDir)
  for (const end of ['', '-wal']) await cp(join(dataDir, LOG + end), join(sharedDir, LOG + end))
  const { url, machineName } = database
  await moveLog({ dataDir: sharedDir, database: { address: readPostgresUrl(url), machineName }, to: 'database' })
  // The backup that it leaves would be looked at in each start.
  for (const end of ['', '-wal', '-shm']) await rm(join(sharedDir, LOG + end), { force: true })

  const all = await inTurns(
    { sqlite: () => start({ dataDir }, client), shared: () => start({ dataDir: sharedDir, database }, client) },
    WARM_UP + STARTS,
  )
  const [sqlite, shared] = [all.sqlite.slice(WARM_UP), all.shared.slice(WARM_UP)]
  const ratio = median(shared) / median(sqlite)
  return [
    {
      what: `10,000 open asks over 500 sessions on PostgreSQL: start of the process until it serves (middle of ${STARTS})`,
      measured: `${short(median(shared))} ms`,
      against: `on SQLite ${short(median(sqlite))} ms`,
      ratio,
      budget: '≤ 2 ×',
      met: ratio <= 2,
    },
  ]
}

async function raiseAll(dataDir: string): Promise<void> {
  await using gateway = await startGatewayProcess({ dataDir })
  await gateway.call('startAgents', { count: SESSIONS })
  await gateway.call('open', { perSession: PER_SESSION })
  await gateway.kill('SIGKILL')
}

/** Ended by force each time: what it leaves is the same. */
async function start(options: Omit<GatewayParameters, 'token'>, client: Child): Promise<number> {
  await using gateway = await startGatewayProcess(options)
  const { count } = await client.call<{ count: number }>('list', { url: gateway.ready.url })
  if (count !== ASKS) throw new Error(`${count} asks are open after the start, not ${ASKS}`)
  await gateway.kill('SIGKILL')
  return gateway.startMs
}
