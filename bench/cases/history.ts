import { join } from 'node:path'
import type { HistoryQuery } from '@holdpoint/core/history'
import type { DurableEvent } from '@holdpoint/schema/event'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import {
  askId,
  eventsOf,
  SAMPLE_OUTCOME,
  sampleAppend,
  sampleAsk,
  sampleSession,
} from '@holdpoint/testing/store-contract/store-samples'
import { temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { percentile, short, spread } from '../statistics.ts'

const SESSIONS = 200
const ASKS_OF_EACH = Number(process.env.HOLDPOINT_BENCH_ASKS ?? 200_000) / SESSIONS
const ROUNDS = 12

/** Settled asks of forty projects, by nobody's index yet; then searches of every kind, each several times. */
export async function history(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'holdpoint.db')
  const store = await openSqliteStore({ path })
  for (let n = 1; n <= SESSIONS; n++) {
    const session = { cwd: `/srv/projects/project-${n % 40}` }
    const events = [
      eventsOf(n).started(sampleSession(n, session)),
      ...Array.from({ length: ASKS_OF_EACH }, (_, at) => askEvents(n, n * ASKS_OF_EACH + at)).flat(),
    ]
    await store.append([sampleAppend({ n, after: 0, events, session })])
  }
  const asks = SESSIONS * ASKS_OF_EACH
  const what = `${asks.toLocaleString('en')} settled asks`
  const indexMs = await timed(() => store.indexHistory({ pause: async () => {} }))
  const searches: Readonly<Record<string, (round: number) => Omit<HistoryQuery, 'limit'>>> = {
    nothing: () => ({}),
    'a word that one ask has': (round) => ({ words: [`ticket-${(asks / ROUNDS) * (round + 1) - 1}`] }),
    'words of the oldest ask': () => ({ words: [`ticket-${ASKS_OF_EACH}`, 'grep'] }),
    'a word that no ask has': (round) => ({ words: [`nowhere${round}`] }),
    'a word and a filter that never meet': () => ({ words: ['grep'], tool: 'WebFetch' }),
    'a tool, an outcome, a project and a time': (round) => ({
      tool: 'Bash',
      outcome: 'denied',
      project: `/srv/projects/project-${round}`,
      from: 1,
    }),
    'a device that answered once': () => ({ device: 'dev_seldom' }),
  }
  const times: number[] = []
  const slowest: string[] = []
  for (const [name, query] of Object.entries(searches)) {
    const own: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      own.push(await timed(() => store.history({ limit: 50, ...query(round) })))
    }
    times.push(...own)
    slowest.push(`${name} ${short(percentile(own, 0.95))}`)
  }
  const choicesMs = await timed(() => store.historyChoices({}))
  await store.close()
  const bareMs = await timed(() => scan(path))
  return [
    {
      what: `history search over ${what}, p50 / p95 / p99 (p95 of each, in ms: ${slowest.join('; ')})`,
      measured: spread(times),
      against: `one pass of SQLite over the same rows ${short(bareMs)} ms`,
      ratio: percentile(times, 0.95) / bareMs,
      budget: 'p95 < 150 ms',
      met: percentile(times, 0.95) < 150,
    },
    { what: `what a filter can be about, ${what}`, measured: `${short(choicesMs)} ms` },
    {
      what: `index of ${what} made from the log, as after an upgrade, in steps of some milliseconds`,
      measured: `${short(indexMs / 1000)} s, ${short((1000 * indexMs) / asks)} µs an ask`,
    },
  ]
}

const PROGRAMS = [
  'grep -rn',
  'git log --oneline',
  'npm test --',
  'cat',
  'ls -la',
  'node scripts/build.mjs',
  'cargo test',
]

function askEvents(n: number, number: number): DurableEvent[] {
  const made = eventsOf(n, number)
  const program = PROGRAMS[number % PROGRAMS.length]
  const command = `${program} ticket-${number} packages/part-${number % 97}/src/file-${number % 1009}.ts && echo "done with the part of the work that this is about"`
  const ask = sampleAsk(number, {
    tool: { name: 'Bash', input: { command } },
    title: `Bash: ${command}`,
    context: { cwd: '/srv/projects', command },
  })
  const device = number === ASKS_OF_EACH ? 'dev_seldom' : `dev_${number % 5}`
  const outcome = {
    ...SAMPLE_OUTCOME,
    at: number,
    kind: number % 50 === 0 ? ('denied' as const) : ('allowed' as const),
    by: { device, name: device, role: 'owner' as const },
  }
  return [made.raised({ ...ask, id: askId(number) }), made.settled(number, outcome)]
}

/** The least that a search has to do where no row fits. */
async function scan(path: string): Promise<void> {
  const connection = (await loadSqliteDriver()).open(path)
  connection.exec('PRAGMA locking_mode = EXCLUSIVE')
  connection.exec('PRAGMA journal_mode = WAL')
  connection.prepare("SELECT count(*) FROM history_texts WHERE instr(text, 'nowhere')").all([])
  connection.close()
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}
