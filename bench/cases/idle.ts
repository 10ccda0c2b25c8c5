import { startGatewayProcess, temporaryFolder } from '../gateway-process.ts'
import { cpuSeconds, residentMegabytes } from '../process-figures.ts'
import type { Row } from '../report.ts'
import { short } from '../statistics.ts'

const SETTLE_MS = 2000
const WATCH_MS = 5000

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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
