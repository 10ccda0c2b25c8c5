import { join } from 'node:path'
import { callAction } from '@holdpoint/agents/claude/asks/call-action'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { createPastCalls } from '@holdpoint/server/policy/past-calls'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import {
  askId,
  eventsOf,
  ruleId,
  SAMPLE_OUTCOME,
  sampleAppend,
  sampleAsk,
  sampleSession,
} from '@holdpoint/testing/store-contract/store-samples'
import { temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, short } from '../statistics.ts'

const SESSIONS = 200
const ASKS_OF_EACH = Number(process.env.HOLDPOINT_BENCH_ASKS ?? 200_000) / SESSIONS
const ROUNDS = 3
const RULES = 40

/** A dry run and suggestions over a log of 200,000 asks, of which half are for calls that came only once. */
export async function pastCalls(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  const store = await openSqliteStore({ path: join(folder.path, 'holdpoint.db') })
  for (let n = 1; n <= SESSIONS; n++) {
    const session = { cwd: projectOf(n), trusted: true }
    const events = [
      eventsOf(n).started(sampleSession(n, session)),
      ...Array.from({ length: ASKS_OF_EACH }, (_, at) => askEvents(n, n * ASKS_OF_EACH + at)).flat(),
    ]
    await store.append([sampleAppend({ n, after: 0, events, session })])
  }
  const asks = SESSIONS * ASKS_OF_EACH
  const what = `over ${asks.toLocaleString('en')} asks and ${RULES} rules`
  const rules = Array.from({ length: RULES }, (_, n) => rule(n, `Bash(program-${n} *)`))
  const actionOf = (_: string, call: Parameters<typeof callAction>[0]) => callAction(call)
  const past = createPastCalls({
    store,
    rules: { list: () => rules },
    actionOf,
    home: '/home/someone',
    guarded: [],
    now: () => asks,
  })
  const indexMs = await timed(() => past.index({ pause: async () => {} }))
  const dryRun = async (pattern: string) => {
    let found = { asks: 0 }
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      times.push(
        await timed(async () => {
          found = await past.dryRun(rule(RULES, pattern), 3650)
        }),
      )
    }
    return { ms: median(times), asks: found.asks }
  }
  const narrow = await dryRun('Bash(git status)')
  const wide = await dryRun('Bash(grep *)')
  let count = 0
  const suggestMs = await timed(async () => {
    count = (await past.suggestions()).length
  })
  await store.close()
  return [
    {
      what: `dry run of a rule for one command ${what} (${narrow.asks.toLocaleString('en')} asks found)`,
      measured: `${short(narrow.ms)} ms`,
      budget: '< 1 s',
      met: narrow.ms < 1000,
    },
    {
      what: `dry run of a rule with a wildcard ${what} (${wide.asks.toLocaleString('en')} asks found)`,
      measured: `${short(wide.ms)} ms`,
      budget: '< 1 s',
      met: wide.ms < 1000,
    },
    {
      what: `suggestions ${what} (${count} rules)`,
      measured: `${short(suggestMs)} ms`,
      budget: '< 1 s',
      met: suggestMs < 1000,
    },
    {
      what: `parts of these calls made from the log, as after an upgrade`,
      measured: `${short(indexMs / 1000)} s, ${short((1000 * indexMs) / asks)} µs an ask`,
    },
  ]
}

const projectOf = (n: number) => `/srv/projects/project-${n % 40}`

function commandOf(number: number): string {
  const once = number % 2 === 0
  const word = once ? number : number % 50
  const commands = [
    `grep -rn needle-${word} src`,
    'git status',
    `npm test -- part-${word}`,
    `cat src/file-${word}.ts`,
    'npm test',
    `node scripts/build-${word}.mjs && git status`,
    `curl https://example.com/${word}`,
  ]
  return commands[number % commands.length] ?? 'ls'
}

function askEvents(n: number, number: number): DurableEvent[] {
  const made = eventsOf(n, number)
  const command = commandOf(number)
  const ask = sampleAsk(number, {
    tool: { name: 'Bash', input: { command } },
    title: `Bash: ${command}`,
    context: { cwd: projectOf(n), command },
  })
  const kind = number % 97 === 0 ? ('denied' as const) : ('allowed' as const)
  return [made.raised({ ...ask, id: askId(number) }), made.settled(number, { ...SAMPLE_OUTCOME, at: number, kind })]
}

function rule(n: number, pattern: string): PolicyRule {
  return { id: ruleId(n), effect: 'allow', agent: '*', pattern, scope: { kind: 'everywhere' }, at: 0, revision: 0 }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}
