import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { SyntheticAgent } from '../synthetic-driver.ts'
import { startAppGateway } from './app-gateway.ts'
import { CURRENCIES, command } from './populated-gateway.ts'

const COMMANDS = ['npm ci', 'npm test -- queue', 'git status', 'npx tsc --noEmit', 'ls -la src', 'npm run lint']
const TITLES = ['Retry queue rewrite', 'Pricing page', 'Translate the handbook', 'Flaky tests', 'Dark mode', 'Upgrade']

function edit(number: number): Partial<AskRequest> {
  const path = `/home/ann/code/site/src/pages/page-${number}.ts`
  const diff = `--- src/pages/page-${number}.ts\n+++ src/pages/page-${number}.ts\n@@ -1 +1 @@\n-old ${number}\n+new ${number}\n`
  return {
    tool: { name: 'Edit', input: { file_path: path, old_string: `old ${number}`, new_string: `new ${number}` } },
    title: 'Edit',
    context: { cwd: '/home/ann/code/site', filePath: path, diff },
  }
}

const PLAN: Partial<AskRequest> = {
  kind: 'plan',
  title: 'A plan',
  tool: { name: 'ExitPlanMode', input: { plan: '1. Measure.\n2. Cut.' } },
  plan: { text: '1. Measure.\n2. Cut.' },
}

const RISKY: Partial<AskRequest> = {
  ...command('git push --force origin main'),
  flags: { defaultToNo: true, noRemember: true },
}

/** Of each four: two commands, an edit, and something else. */
function request(number: number): Partial<AskRequest> {
  const kind = number % 4
  if (kind === 2) return edit(number)
  if (kind === 3) return number % 12 === 3 ? RISKY : number % 12 === 7 ? CURRENCIES : PLAN
  return command(`${COMMANDS[number % COMMANDS.length]} # ${number}`)
}

export interface Raised {
  readonly ask: Ask
  readonly outcome: ReturnType<SyntheticAgent['ask']>
}

/** A gateway whose inbox is a wall: asks of every kind, from several sessions in two projects. */
export async function startWallOfAsks({ asks = 32, sessions = 6 } = {}) {
  const test = await startAppGateway()
  const agents: SyntheticAgent[] = []
  for (let number = 0; number < sessions; number++) {
    const title = TITLES[number % TITLES.length] ?? ''
    agents.push((await test.session({ title })).agent)
  }
  const raised: Raised[] = []
  const raise = async (number: number, given: Partial<AskRequest> = request(number)): Promise<Raised> => {
    const agent = agents[number % agents.length]
    if (!agent) throw new Error('there is no session')
    const entry = await test.openAsk(agent, given)
    raised.push(entry)
    return entry
  }
  for (let number = 0; number < asks; number++) await raise(number)
  return { ...test, raised, raise }
}
export type WallOfAsks = Awaited<ReturnType<typeof startWallOfAsks>>
