import { startChild } from '../child.ts'
import { startGatewayProcess, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, percentile, short, spread } from '../statistics.ts'
import type { Load, Measured } from '../workload.ts'

const ROUNDS = 5
const LOADS: readonly Load[] = [
  { inFlight: 1, cycles: 300 },
  { inFlight: 16, cycles: 1000 },
  { inFlight: 128, cycles: 2000 },
]

/** Raise, commit, client, answer, commit, callback: through the gateway, and through `ws` and SQLite alone. */
export async function roundTrip(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  await using gateway = await startGatewayProcess({ dataDir: folder.path })
  await using bare = await startChild<{ url: string }>('bare-main', { parameters: { dataDir: folder.path } })
  await using gatewayClient = await startChild('client-main')
  await using bareClient = await startChild('client-main')
  await gatewayClient.call('connect', { url: gateway.ready.url, to: 'gateway', answers: true, count: 1 })
  await bareClient.call('connect', { url: bare.ready.url, to: 'bare', answers: true, count: 1 })

  const rows: Row[] = []
  for (const load of LOADS) {
    const results = { gateway: [] as Measured[], bare: [] as Measured[] }
    await gateway.call('roundTrip', load)
    await bare.call('roundTrip', load)
    for (let round = 0; round < ROUNDS; round++) {
      results.bare.push(await bare.call<Measured>('roundTrip', load))
      results.gateway.push(await gateway.call<Measured>('roundTrip', load))
    }
    rows.push(...judged(load, results))
  }
  return rows
}

function judged(load: Load, results: { gateway: readonly Measured[]; bare: readonly Measured[] }): readonly Row[] {
  const latencies = {
    gateway: results.gateway.flatMap((result) => result.latencies),
    bare: results.bare.flatMap((result) => result.latencies),
  }
  const p50 = percentile(latencies.gateway, 0.5)
  const ratio = p50 / percentile(latencies.bare, 0.5)
  const what = `round trip, ${load.inFlight} in flight, p50 / p95 / p99`
  const figures = { what, measured: spread(latencies.gateway), against: `bare ${spread(latencies.bare)}`, ratio }
  const perSecond = (measured: readonly Measured[]) =>
    median(measured.map(({ latencies, elapsedMs }) => (latencies.length / elapsedMs) * 1000))
  const throughput = { gateway: perSecond(results.gateway), bare: perSecond(results.bare) }
  const gain = throughput.gateway / throughput.bare
  return [
    load.inFlight === 1 ? { ...figures, budget: 'p50 ≤ 2 ms and ≤ 2.5 ×', met: p50 <= 2 && ratio <= 2.5 } : figures,
    {
      what: `approvals per second, ${load.inFlight} in flight`,
      measured: short(throughput.gateway),
      against: `bare, one commit each: ${short(throughput.bare)}`,
      ratio: gain,
      ...(load.inFlight === 128 && { budget: '≥ 1.5 ×', met: gain >= 1.5 }),
    },
  ]
}
