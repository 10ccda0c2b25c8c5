import { familyOf, runningProcesses } from '@holdpoint/agents/processes/processes'
import type { Session } from '@holdpoint/schema/session'
import { apiClient } from '@holdpoint/testing/api-client'
import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { startChild } from '../child.ts'
import { startGatewayProcess, TOKEN, temporaryFolder } from '../gateway-process.ts'
import { residentMegabytes } from '../process-figures.ts'
import type { Row } from '../report.ts'
import { percentile, short, spread } from '../statistics.ts'
import type { Measured } from '../workload.ts'

const FLOOD_MS = 60_000
const WARM_UP_MS = 5000
const QUIET_MS = 20_000
/** At a pace that leaves the memory to the flood: back to back, the asks themselves would fill it. */
const ROUND = { inFlight: 1, cycles: 20 }
const PAUSE_MS = 200
const LOOK_EVERY_MS = 2000

interface Output {
  readonly type: string
  readonly data?: string
}

/** F46: a program that writes without end in a hosted terminal that somebody looks at, while others answer asks. */
export async function terminalFlood(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  await using gateway = await startGatewayProcess({ dataDir: folder.path, usesHost: true })
  await using client = await startChild('client-main')
  const { url } = gateway.ready
  await client.call('connect', { url, to: 'gateway', answers: true, count: 1 })
  const api = apiClient(url, TOKEN)
  async function approvals(forMs: number): Promise<number[]> {
    const latencies: number[] = []
    const from = performance.now()
    while (performance.now() - from < forMs) {
      latencies.push(...(await gateway.call<Measured>('roundTrip', ROUND)).latencies)
      await pause(PAUSE_MS)
    }
    return latencies
  }

  await approvals(WARM_UP_MS)
  const quiet = await approvals(QUIET_MS)

  const program = { command: 'yes', args: ['a flood of words that does not end'], cwd: folder.path, cols: 80, rows: 24 }
  const { id } = await api.ok<Session>('POST', '/api/terminals', program)
  const viewer = await openJsonSocket<Output>(url, `/api/terminals/${id}`, { authorization: `Bearer ${TOKEN}` })
  let characters = 0
  viewer.socket.on('message', () => {
    for (const { data } of viewer.messages.splice(0)) characters += data?.length ?? 0
  })
  viewer.send({ type: 'view', cols: 80, rows: 24 })
  const hostPid = await gateway.call<number>('hostPid')
  const flooded: number[] = []
  /** The peak: what is collected now and then comes down in between. */
  async function highestWhileFlooded(): Promise<number> {
    let highest = 0
    const from = performance.now()
    while (performance.now() - from < FLOOD_MS / 2) {
      flooded.push(...(await approvals(LOOK_EVERY_MS)))
      highest = Math.max(highest, await residentOfAll(gateway.pid, hostPid))
    }
    return highest
  }
  const [first, second] = [await highestWhileFlooded(), await highestWhileFlooded()]
  viewer.close()
  await api.call('DELETE', `/api/sessions/${id}`)

  const [p99, quietP99] = [percentile(flooded, 0.99), percentile(quiet, 0.99)]
  return [
    {
      what: `round trip, 1 in flight, while a hosted terminal is flooded for 60 s (${short(characters / 1e6)} MB looked at), p50 / p95 / p99`,
      measured: spread(flooded),
      against: `without the flood ${spread(quiet)}`,
      ratio: p99 / quietP99,
      budget: 'p99 ≤ 1.5 ×',
      met: p99 <= 1.5 * quietP99,
    },
    {
      what: 'memory of gateway, host and terminal, highest in the second half of the flood',
      measured: `${short(second)} MB`,
      against: `first half ${short(first)} MB`,
      ratio: second / first,
      budget: '≤ 1.1 ×',
      met: second <= 1.1 * first,
    },
  ]
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The gateway, the host and everything that the host holds. */
async function residentOfAll(gatewayPid: number, hostPid: number): Promise<number> {
  const held = familyOf(hostPid, (await runningProcesses()) ?? [])
  const figures = await Promise.all([gatewayPid, ...held.map(({ pid }) => pid)].map(residentMegabytes))
  return figures.reduce((sum, figure) => sum + figure, 0)
}
