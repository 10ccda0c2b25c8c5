import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { cardPainted } from './cases/card-painted.ts'
import { changedFiles } from './cases/changed-files.ts'
import { fanOut } from './cases/fan-out.ts'
import { history } from './cases/history.ts'
import { hookStart } from './cases/hook-start.ts'
import { hookVerdict } from './cases/hook-verdict.ts'
import { hugeThread } from './cases/huge-thread.ts'
import { idle } from './cases/idle.ts'
import { listeners } from './cases/listeners.ts'
import { longPast } from './cases/long-past.ts'
import { longThread } from './cases/long-thread.ts'
import { manyAsks } from './cases/many-asks.ts'
import { openAsks } from './cases/open-asks.ts'
import { pastCalls } from './cases/past-calls.ts'
import { realAgentCycle } from './cases/real-agent-cycle.ts'
import { roundTrip } from './cases/round-trip.ts'
import { ruledCall } from './cases/ruled-call.ts'
import { sessionList } from './cases/session-list.ts'
import { sharedFanOut } from './cases/shared-fan-out.ts'
import { sharedOpenAsks } from './cases/shared-open-asks.ts'
import { sharedRoundTrip } from './cases/shared-round-trip.ts'
import { terminalFlood } from './cases/terminal-flood.ts'
import { transcriptScan } from './cases/transcript-scan.ts'
import { transcriptWatch } from './cases/transcript-watch.ts'
import { verdict } from './cases/verdict.ts'
import { waitingHooks } from './cases/waiting-hooks.ts'
import { wake } from './cases/wake.ts'
import { type Row, tableHead, tableLine } from './report.ts'

const CASES: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  'real-agent': realAgentCycle,
  'ruled-call': ruledCall,
  verdict,
  'round-trip': roundTrip,
  listeners,
  'open-asks': openAsks,
  'fan-out': fanOut,
  'shared-round-trip': sharedRoundTrip,
  'shared-fan-out': sharedFanOut,
  'shared-open-asks': sharedOpenAsks,
  idle,
  'card-painted': cardPainted,
  'many-asks': manyAsks,
  'long-past': longPast,
  history,
  'past-calls': pastCalls,
  'long-thread': longThread,
  'changed-files': changedFiles,
  'session-list': sessionList,
  'huge-thread': hugeThread,
  'transcript-scan': transcriptScan,
  'transcript-watch': transcriptWatch,
  'terminal-flood': terminalFlood,
  'hook-start': hookStart,
  'hook-verdict': hookVerdict,
  'waiting-hooks': waitingHooks,
  wake,
}

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const chosen = Object.entries(CASES).filter(([name]) => values.only === undefined || name === values.only)
if (chosen.length === 0) {
  console.error(`There is no benchmark ${values.only}. There are: ${Object.keys(CASES).join(', ')}.`)
  process.exit(2)
}

const from = performance.now()
console.log(`${await machine()}\n`)
console.log(tableHead())
let failed = 0
for (const [name, run] of chosen) {
  const rows = await run().catch((error: unknown): readonly Row[] => {
    failed++
    console.error(error)
    return [{ what: name, measured: 'failed, see above' }]
  })
  for (const row of rows) console.log(tableLine(row))
}
console.log(`\n${Math.round((performance.now() - from) / 1000)} s; load average now ${load()}.`)
// A missed budget is a figure to read, not a fault of the run.
process.exit(failed > 0 ? 1 : 0)

async function machine(): Promise<string> {
  const sdk = new URL('../../node_modules/@anthropic-ai/claude-agent-sdk/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(sdk, 'utf8')) as { version: string }
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`,
    `${Math.round(totalmem() / 1024 ** 3)} GB`,
    `Linux ${release()}`,
    `Node ${process.versions.node}`,
    `SQLite through ${(await loadSqliteDriver()).name}, WAL, synchronous FULL`,
    `Claude Agent SDK ${version}`,
    `load average before ${load()}`,
  ].join('; ')
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? '?'
}
