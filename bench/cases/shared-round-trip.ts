import { startPostgres } from '@holdpoint/testing/postgres-server'
import { inTurns } from '../alternating.ts'
import { startChild } from '../child.ts'
import { type GatewayProcess, startGatewayProcess, startSharedGateway, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, percentile, short, spread } from '../statistics.ts'
import { AGENTS, type Load, type Measured } from '../workload.ts'

const WARM_UP = 2
const ROUNDS = 5
const ONE: Load = { inFlight: 1, cycles: 200 }
/** Long enough that the first and the last ones, which are not many at once, count for little. */
const MANY: Load = { inFlight: 128, cycles: 3000 }

/** An allow of the first is taken where it is given. For the second the machine of the agent looks at its disk first. */
const KINDS = [
  { kind: 'call in no folder', isFolderless: true },
  { kind: 'call in a folder', isFolderless: false },
]

type Ways = Readonly<Record<'sqlite' | 'alone' | 'two', readonly Measured[]>>

/**
 * Raise, commit, client, answer, commit, callback: with one gateway on SQLite, with one on PostgreSQL, and with two, where each
 * ask is answered by a client of the gateway that has not raised it.
 */
export async function sharedRoundTrip(): Promise<readonly Row[]> {
  await using server = await startPostgres()
  await using folder = await temporaryFolder()
  await using sqlite = await startGatewayProcess({ dataDir: folder.path })
  await using alone = await startSharedGateway(await server.createDatabase(), 'alone')
  const url = await server.createDatabase()
  await using a = await startSharedGateway(url, 'a')
  await using b = await startSharedGateway(url, 'b')
  await using _ofSqlite = await startAnswering(sqlite)
  await using _ofAlone = await startAnswering(alone)
  await using _ofA = await startAnswering(a, b)
  await using _ofB = await startAnswering(b, a)

  const rows: Row[] = []
  for (const { kind, isFolderless } of KINDS) {
    const [one, many] = [ONE, MANY].map((load): Load => ({ ...load, isFolderless })) as [Load, Load]
    const half = { ...many, inFlight: many.inFlight / 2, cycles: many.cycles / 2 }
    const single = await inTurns(
      {
        sqlite: () => sqlite.call<Measured>('roundTrip', one),
        alone: () => alone.call<Measured>('roundTrip', one),
        two: () => a.call<Measured>('roundTrip', one),
      },
      WARM_UP + ROUNDS,
    )
    const crowded = await inTurns(
      {
        sqlite: () => sqlite.call<Measured>('roundTrip', many),
        alone: () => alone.call<Measured>('roundTrip', many),
        two: async () => both(await Promise.all([a, b].map((gateway) => gateway.call<Measured>('roundTrip', half)))),
      },
      WARM_UP + ROUNDS,
    )
    rows.push(
      times(single, 'two', { what: `${kind}, 1 in flight, raised at one gateway, answered at another`, most: 6 }),
      times(single, 'alone', { what: `${kind}, 1 in flight, one gateway` }),
      rate(single, 'alone', { what: `${kind}, 1 in flight, one gateway` }),
      rate(crowded, 'two', {
        what: `${kind}, 128 in flight, 64 raised at each of two, answered at the other`,
        least: 0.5,
      }),
      rate(crowded, 'alone', { what: `${kind}, 128 in flight, one gateway`, least: 0.7 }),
      times(crowded, 'two', { what: `${kind}, 128 in flight, two gateways` }),
      times(crowded, 'alone', { what: `${kind}, 128 in flight, one gateway` }),
    )
  }
  return rows
}

/** A client that answers what the other gateway's agents ask, or what this one's do where there is no other. */
async function startAnswering(gateway: GatewayProcess, other: GatewayProcess = gateway) {
  const sessions = await other.call<readonly string[]>('startAgents', { count: AGENTS })
  const client = await startChild('client-main')
  await client.call('connect', { url: gateway.ready.url, to: 'gateway', answers: true, sessions, count: 1 })
  return client
}

/** As long as the slower one takes. */
function both(halves: readonly Measured[]): Measured {
  return {
    latencies: halves.flatMap(({ latencies }) => latencies),
    elapsedMs: Math.max(...halves.map(({ elapsedMs }) => elapsedMs)),
  }
}

function times(all: Ways, way: keyof Ways, { what, most }: { readonly what: string; readonly most?: number }): Row {
  const latencies = all[way].slice(WARM_UP).flatMap((round) => round.latencies)
  const floor = all.sqlite.slice(WARM_UP).flatMap((round) => round.latencies)
  const ratio = percentile(latencies, 0.5) / percentile(floor, 0.5)
  return {
    what: `round trip on PostgreSQL, ${what}, p50 / p95 / p99`,
    measured: spread(latencies),
    against: `one gateway on SQLite ${spread(floor)}`,
    ratio,
    ...(most !== undefined && { budget: `p50 ≤ ${most} ×`, met: ratio <= most }),
  }
}

function rate(all: Ways, way: keyof Ways, { what, least }: { readonly what: string; readonly least?: number }): Row {
  const perSecond = (rounds: readonly Measured[]) =>
    median(rounds.slice(WARM_UP).map(({ latencies, elapsedMs }) => (latencies.length / elapsedMs) * 1000))
  const ratio = perSecond(all[way]) / perSecond(all.sqlite)
  return {
    what: `approvals per second on PostgreSQL, ${what}`,
    measured: short(perSecond(all[way])),
    against: `one gateway on SQLite ${short(perSecond(all.sqlite))}`,
    ratio,
    ...(least !== undefined && { budget: `≥ ${least} ×`, met: ratio >= least }),
  }
}
