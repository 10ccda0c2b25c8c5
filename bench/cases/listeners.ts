import { startChild } from '../child.ts'
import { startGatewayProcess, temporaryFolder } from '../gateway-process.ts'
import { startRealAgent } from '../real-agent.ts'
import type { Row } from '../report.ts'
import { median, spread } from '../statistics.ts'
import type { Measured } from '../workload.ts'

const LISTENERS = 1000
const ROUNDS = 4
const CYCLES = 30
const SYNTHETIC_CYCLES = 300

/** Whether a thousand who only look on slow the one down who answers. */
export async function listeners(): Promise<readonly Row[]> {
  return [...(await withRealAgent()), ...(await withSyntheticAgent())]
}

async function withRealAgent(): Promise<readonly Row[]> {
  await using agent = await startRealAgent({ cycles: CYCLES })
  await using crowd = await startChild('client-main')
  const alone: (readonly number[])[] = []
  const watched: (readonly number[])[] = []
  await agent.throughGateway()
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await agent.throughGateway())
    await crowd.call('connect', { url: agent.gateway.ready.url, to: 'gateway', answers: false, count: LISTENERS })
    watched.push(await agent.throughGateway())
    await crowd.call('disconnect')
  }
  const ratio = median(watched.map(median)) / median(alone.map(median))
  return [
    {
      what: 'approval cycle with Claude Code and 1,000 listeners, p50 / p95 / p99',
      measured: spread(watched.flat()),
      against: `one listener ${spread(alone.flat())}`,
      ratio,
      budget: '≤ 1.3 ×',
      met: ratio <= 1.3,
    },
  ]
}

/** For the record, without a budget: asks back to back, without an agent that would do anything between them. */
async function withSyntheticAgent(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  await using gateway = await startGatewayProcess({ dataDir: folder.path })
  await using client = await startChild('client-main')
  await using crowd = await startChild('client-main')
  await client.call('connect', { url: gateway.ready.url, to: 'gateway', answers: true, count: 1 })
  const run = async () => {
    const { latencies } = await gateway.call<Measured>('roundTrip', { inFlight: 1, cycles: SYNTHETIC_CYCLES })
    return latencies
  }
  await run()
  const alone = await run()
  await crowd.call('connect', { url: gateway.ready.url, to: 'gateway', answers: false, count: LISTENERS })
  await run()
  const watched = await run()
  return [
    {
      what: 'round trip, 1 in flight, back to back, 1,000 listeners, p50 / p95 / p99',
      measured: spread(watched),
      against: `one listener ${spread(alone)}`,
      ratio: median(watched) / median(alone),
    },
  ]
}
