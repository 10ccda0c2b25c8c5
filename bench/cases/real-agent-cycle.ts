import { startRealAgent } from '../real-agent.ts'
import type { Row } from '../report.ts'
import { median, short, spread } from '../statistics.ts'

const ROUNDS = 6
const CYCLES = 30

/** Model call, ask, allow, command, next model call: through the gateway, against the SDK's callbacks in one process. */
export async function realAgentCycle(): Promise<readonly Row[]> {
  await using agent = await startRealAgent({ cycles: CYCLES })
  const gateway: (readonly number[])[] = []
  const same: (readonly number[])[] = []
  const ask: (readonly number[])[] = []
  const ways = [
    { rounds: gateway, run: () => agent.throughGateway() },
    { rounds: same, run: () => agent.throughSdk('same') },
    { rounds: ask, run: () => agent.throughSdk('ask') },
  ]
  for (const { run } of ways) await run()
  for (let round = 0; round < ROUNDS; round++) {
    // Who comes first changes: a machine that gets slower or faster meanwhile favours nobody.
    for (const { rounds, run } of round % 2 === 0 ? ways : ways.toReversed()) rounds.push(await run())
  }
  const ratio = ratioOf(gateway, same)
  const ratios = gateway.map((times, round) => median(times) / median(same[round] ?? times)).sort((a, b) => a - b)
  return [
    {
      what: `approval cycle with Claude Code (${ROUNDS} rounds of ${CYCLES}; round by round ${short(ratios[0] ?? 0)}–${short(ratios.at(-1) ?? 0)} ×), p50 / p95 / p99`,
      measured: spread(gateway.flat()),
      against: `the SDK in one process with the same callbacks ${spread(same.flat())}`,
      ratio,
      budget: '≤ 1.20 ×',
      met: ratio <= 1.2,
    },
    {
      what: 'the same',
      measured: spread(gateway.flat()),
      against: `the SDK in one process with canUseTool alone, without the alarm ${spread(ask.flat())}`,
      ratio: ratioOf(gateway, ask),
    },
  ]
}

type Rounds = readonly (readonly number[])[]

function ratioOf(measured: Rounds, against: Rounds): number {
  return median(measured.map(median)) / median(against.map(median))
}
