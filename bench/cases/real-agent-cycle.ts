import { startRealAgent } from '../real-agent.ts'
import type { Row } from '../report.ts'
import { median, short, spread } from '../statistics.ts'

const ROUNDS = 6
const CYCLES = 30

/** Model call, ask, allow, command, next model call: through the gateway, against the SDK's own callback. */
export async function realAgentCycle(): Promise<readonly Row[]> {
  await using agent = await startRealAgent({ cycles: CYCLES })
  const floor: (readonly number[])[] = []
  const gateway: (readonly number[])[] = []
  await agent.throughSdk()
  await agent.throughGateway()
  for (let round = 0; round < ROUNDS; round++) {
    // Who comes first changes: a machine that gets slower or faster meanwhile favours neither.
    if (round % 2 === 0) floor.push(await agent.throughSdk())
    gateway.push(await agent.throughGateway())
    if (round % 2 === 1) floor.push(await agent.throughSdk())
  }
  const ratio = median(gateway.map(median)) / median(floor.map(median))
  const ratios = gateway.map((times, round) => median(times) / median(floor[round] ?? times)).sort((a, b) => a - b)
  return [
    {
      what: `approval cycle with Claude Code (${ROUNDS} rounds of ${CYCLES}; round by round ${short(ratios[0] ?? 0)}–${short(ratios.at(-1) ?? 0)} ×), p50 / p95 / p99`,
      measured: spread(gateway.flat()),
      against: `in-process canUseTool ${spread(floor.flat())}`,
      ratio,
      budget: '≤ 1.10 ×',
      met: ratio <= 1.1,
    },
  ]
}
