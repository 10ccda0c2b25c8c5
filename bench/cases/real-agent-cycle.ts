import { alternating, type Measured } from '../alternating.ts'
import { startRealAgent } from '../real-agent.ts'
import type { Row } from '../report.ts'
import { median, short, spread } from '../statistics.ts'

const ROUNDS = 8
const CYCLES = 30

/** Model call, ask, allow, command, next model call: through the gateway, against the SDK's callbacks in one process. */
export async function realAgentCycle(): Promise<readonly Row[]> {
  await using agent = await startRealAgent({ cycles: CYCLES })
  const { gateway, same, ask } = await alternating(
    {
      gateway: () => agent.throughGateway(),
      same: () => agent.throughSdk('same'),
      ask: () => agent.throughSdk('ask'),
    },
    ROUNDS,
  )
  const ratio = ratioOf(gateway, same)
  const ratios = gateway.rounds
    .map((times, round) => median(times) / median(same.rounds[round] ?? times))
    .sort((a, b) => a - b)
  return [
    {
      what: `approval cycle with Claude Code (${ROUNDS} rounds of ${CYCLES}; round by round ${short(ratios[0] ?? 0)}–${short(ratios.at(-1) ?? 0)} ×), p50 / p95 / p99`,
      measured: spread(gateway.rounds.flat()),
      against: `the SDK in one process with the same callbacks ${spread(same.rounds.flat())}`,
      ratio,
      budget: '≤ 1.20 ×',
      met: ratio <= 1.2,
    },
    {
      what: 'the same, first conversation after the start of both',
      measured: spread(gateway.cold),
      against: `the SDK ${spread(same.cold)}`,
      ratio: median(gateway.cold) / median(same.cold),
    },
    {
      what: 'the same',
      measured: spread(gateway.rounds.flat()),
      against: `the SDK in one process with canUseTool alone, without the alarm ${spread(ask.rounds.flat())}`,
      ratio: ratioOf(gateway, ask),
    },
  ]
}

function ratioOf(measured: Measured, against: Measured): number {
  return median(measured.rounds.map(median)) / median(against.rounds.map(median))
}
