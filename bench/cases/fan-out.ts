import { type Child, startChild } from '../child.ts'
import { startGatewayProcess, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { percentile, spread } from '../statistics.ts'

const SIZES = [
  { clients: 1000, events: 40 },
  { clients: 10_000, events: 15 },
]
const WARM_UP = 3
/** As long as what a gateway sends for an event that says little. */
const TEXT = 'x'.repeat(100)
const FRAME = JSON.stringify({ type: 'event', seq: 100_000, event: { type: 'ask-raised', text: 'x'.repeat(700) } })
const SPARE_FILES = 200

/** One event, from when it was handed over until the last of many clients has it. */
export async function fanOut(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const { clients, events } of SIZES) {
    const limit = openFilesLimit()
    if (clients + SPARE_FILES > limit) {
      rows.push({ what: `fan-out to ${clients} clients`, measured: `not run: ulimit -Hn is ${limit}` })
      continue
    }
    rows.push(await measure(clients, events))
  }
  return rows
}

async function measure(clients: number, events: number): Promise<Row> {
  await using folder = await temporaryFolder()
  await using gateway = await startGatewayProcess({ dataDir: folder.path })
  await using bare = await startChild<{ url: string }>('bare-main', { parameters: { dataDir: folder.path } })
  await using gatewayClients = await startChild('client-main')
  await using bareClients = await startChild('client-main')
  await gatewayClients.call('connect', { url: gateway.ready.url, to: 'gateway', answers: false, count: clients })
  await bareClients.call('connect', { url: bare.ready.url, to: 'bare', answers: false, count: clients })
  // Starts the agent that speaks, which says that it is ready.
  await gateway.call('say', { text: TEXT })
  await quiet()

  const times = { gateway: [] as number[], bare: [] as number[] }
  for (let event = 0; event < events + WARM_UP; event++) {
    times.bare.push(await oneEvent({ server: bare, clients: bareClients, text: FRAME }))
    times.gateway.push(await oneEvent({ server: gateway, clients: gatewayClients, text: TEXT }))
  }
  const measured = times.gateway.slice(WARM_UP)
  const floor = times.bare.slice(WARM_UP)
  const ratio = percentile(measured, 0.5) / percentile(floor, 0.5)
  return {
    what: `one event to the last of ${clients.toLocaleString('en')} clients, p50 / p95 / p99`,
    measured: spread(measured),
    against: `bare ${spread(floor)}`,
    ratio,
    budget: '≤ 2 ×',
    met: ratio <= 2,
  }
}

async function oneEvent(options: { server: Child; clients: Child; text: string }): Promise<number> {
  await options.clients.call('expect')
  const sent = await options.server.call<number>('say', { text: options.text })
  const arrived = await options.clients.call<number>('arrived')
  await quiet()
  return arrived - sent
}

/** Lets sockets and timers of the last event come to rest. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 150))
}

/** Node raises its own soft limit to the hard one. */
function openFilesLimit(): number {
  const report = process.report?.getReport() as { userLimits?: { open_files?: { hard: number | string } } } | undefined
  const hard = report?.userLimits?.open_files?.hard
  return typeof hard === 'number' ? hard : Number.POSITIVE_INFINITY
}
