import { readFile } from 'node:fs/promises'
import { startGatewayProcess, temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { short } from '../statistics.ts'

const SETTLE_MS = 2000
const WATCH_MS = 5000
const TICKS_PER_SECOND = 100

/** A gateway that nobody uses. */
export async function idle(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  await using gateway = await startGatewayProcess({ dataDir: folder.path })
  await pause(SETTLE_MS)
  const before = await cpuSeconds(gateway.pid)
  await pause(WATCH_MS)
  const share = ((await cpuSeconds(gateway.pid)) - before) / (WATCH_MS / 1000)
  const megabytes = await residentMegabytes(gateway.pid)
  return [
    {
      what: 'idle gateway, resident memory',
      measured: `${short(megabytes)} MB, ${(share * 100).toFixed(1)} % of a core`,
      budget: '< 120 MB',
      met: megabytes < 120,
    },
  ]
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
