// A gateway as `holdpoint start` makes it, with synthetic agents beside the real ones and, if FAIL_AT says so
// (point:count, and :memory to run out of memory there), a place at which it kills itself. Arguments: data folder. Configuration: environment.
import { fileURLToPath } from 'node:url'
import { startGateway } from '@holdpoint/server/start-gateway'
import { createLog } from '@holdpoint/server/system/log'
import { type FailPoint, failingDriver } from './fail-points.ts'
import { createHostedSyntheticDriver } from './hosted-synthetic-driver.ts'

const [, , dataDir = ''] = process.argv
const {
  HOLDPOINT_TOKEN: token,
  SYNTHETIC_NOTES: notes = '',
  SYNTHETIC_OPEN: open = '1',
  SYNTHETIC_TOTAL: total = '100',
  FAIL_AT: failAt,
  PORT: port = '0',
  POLICY_FILE: policyFile,
  NOTIFY_ALLOW: notifyAllow,
  PARK_MS: parkMs,
} = process.env
const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const gateway = await startGateway({
  dataDir,
  host: '127.0.0.1',
  port: Number(port),
  ...(token && { token }),
  idleMs: 3_600_000,
  ...(parkMs && { parkMs: Number(parkMs) }),
  limits: { connectionsPerBrowser: 32, connectionsPerToken: 2000 },
  log: createLog({ level: 'warn', write: (line) => process.stderr.write(line), now: Date.now }),
  hostMain: beside('../host.js'),
  webFolder: beside('../web'),
  ...(policyFile && { policyFile }),
  ...(notifyAllow && { notifyAllow: [notifyAllow] }),
  ...(process.env.HOLDPOINT_CLAUDE && { claude: process.env.HOLDPOINT_CLAUDE }),
  environment: process.env,
  drivers: (builtIn, host) => {
    const synthetic = createHostedSyntheticDriver({
      host,
      program: beside('./synthetic-agent.js'),
      arguments: ({ sessionId }) => [`${notes}/${sessionId}`, open, total],
    })
    const drivers = [...builtIn, synthetic]
    const [point, count, by] = (failAt ?? '').split(':')
    return point
      ? drivers.map((driver) =>
          failingDriver(driver, { point: point as FailPoint, count: Number(count), by: by === 'memory' ? by : 'kill' }),
        )
      : drivers
  },
})
process.once('SIGTERM', () => void gateway.close().then(() => process.exit(0)))
process.stdout.write(`Holdpoint is ready: ${gateway.loginLink()}\n`)
