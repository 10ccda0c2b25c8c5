import { startPostgres } from '@holdpoint/testing/postgres-server'
import { inTurns } from '../alternating.ts'
import { type Child, startChild } from '../child.ts'
import { type GatewayProcess, startSharedGateway } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { percentile, short } from '../statistics.ts'

const CLIENTS = 1000
const WARM_UP = 10
const EVENTS = 60

/**
 * One ask, from when the gateway that raises it knows that it is committed until the last of a thousand clients has it: all of
 * them at that gateway, or spread over it and three others.
 */
export async function sharedFanOut(): Promise<readonly Row[]> {
  await using server = await startPostgres()
  await using alone = await startSharedGateway(await server.createDatabase(), 'alone')
  const url = await server.createDatabase()
  await using a = await startSharedGateway(url, 'a')
  await using b = await startSharedGateway(url, 'b')
  await using c = await startSharedGateway(url, 'c')
  await using d = await startSharedGateway(url, 'd')
  await using together = await startCrowd([alone])
  await using spread = await startCrowd([a, b, c, d])
  for (const gateway of [alone, a]) await gateway.call('startAgents', { count: 1 })

  const times = await inTurns(
    { one: () => oneEvent(alone, together), four: () => oneEvent(a, spread) },
    WARM_UP + EVENTS,
  )
  const [one, four] = [times.one.slice(WARM_UP), times.four.slice(WARM_UP)]
  const ratio = percentile(four, 0.5) / percentile(one, 0.5)
  return [
    {
      what: `one event, from its commit known to the last of 1,000 clients at four gateways on PostgreSQL (${EVENTS} times), p50 / p99`,
      measured: halfAndMost(four),
      against: `at one gateway on PostgreSQL ${halfAndMost(one)}`,
      ratio,
      budget: 'p50 ≤ 2 ×',
      met: ratio <= 2,
    },
  ]
}

/** In one process, however many gateways they are spread over. */
async function startCrowd(gateways: readonly GatewayProcess[]): Promise<Child> {
  const crowd = await startChild('client-main')
  const count = CLIENTS / gateways.length
  for (const { ready } of gateways) {
    await crowd.call('connect', { url: ready.url, to: 'gateway', answers: false, count })
  }
  return crowd
}

async function oneEvent(gateway: GatewayProcess, crowd: Child): Promise<number> {
  await crowd.call('expect')
  const { known } = await gateway.call<{ known: number }>('raiseOne')
  const arrived = await crowd.call<number>('arrived')
  await quiet()
  return arrived - known
}

/** Lets sockets and timers of the last event come to rest. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 150))
}

function halfAndMost(values: readonly number[]): string {
  return `${short(percentile(values, 0.5))} / ${short(percentile(values, 0.99))} ms`
}
