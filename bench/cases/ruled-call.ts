import { apiClient } from '@holdpoint/testing/api-client'
import { alternating } from '../alternating.ts'
import { TOKEN } from '../gateway-process.ts'
import { startRealAgent } from '../real-agent.ts'
import type { Row } from '../report.ts'
import { median, short, spread } from '../statistics.ts'

const ROUNDS = 8
const CYCLES = 30
const RULES = 200
const BUDGET_MS = 5

/** Model call, command that a rule allows, next model call: against a hook in the same process that allows at once. */
export async function ruledCall(): Promise<readonly Row[]> {
  await using agent = await startRealAgent({ cycles: CYCLES })
  const api = apiClient(agent.gateway.ready.url, TOKEN)
  const add = (pattern: string) =>
    api.ok('POST', '/api/policy/rules', { effect: 'allow', agent: 'claude', pattern, scope: { kind: 'everywhere' } })
  for (let index = 0; index < RULES; index++) await add(`Bash(make target-${index})`)
  await add('Bash(touch *)')
  const { gateway, hook } = await alternating(
    { gateway: () => agent.throughGateway(), hook: () => agent.throughSdk('hook') },
    ROUNDS,
  )
  const asked = await api.ok<{ asks: readonly { outcome?: { via?: string } }[] }>(
    'GET',
    '/api/asks?status=all&limit=100',
  )
  if (asked.asks.some(({ outcome }) => outcome?.via !== 'rule')) throw new Error('a call was not decided by a rule')
  const [through, floor] = [gateway, hook].map(({ rounds }) => median(rounds.map(median))) as [number, number]
  const more = through - floor
  return [
    {
      what: `cycle of Claude Code with a call that a rule allows, ${RULES} rules (${ROUNDS} rounds of ${CYCLES}), p50 / p95 / p99`,
      measured: spread(gateway.rounds.flat()),
      against: `the SDK in one process, its hook allows at once ${spread(hook.rounds.flat())}`,
      ratio: through / floor,
      budget: `≤ ${BUDGET_MS} ms more (${short(more)})`,
      met: more <= BUDGET_MS,
    },
    {
      what: 'the same, first conversation after the start of both',
      measured: spread(gateway.cold),
      against: `the SDK ${spread(hook.cold)}`,
      ratio: median(gateway.cold) / median(hook.cold),
    },
  ]
}
