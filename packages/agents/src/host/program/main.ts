import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createHost } from './host.ts'

/** Another host has the data directory; not a failure, the caller connects to that one. */
const EXIT_TAKEN = 3
const DEFAULT_LINGER_MS = 60_000

const { values } = parseArgs({ options: { data: { type: 'string' }, linger: { type: 'string' } } })
const lingerMs = values.linger === undefined ? DEFAULT_LINGER_MS : Number(values.linger)
if (values.data === undefined || !Number.isFinite(lingerMs) || lingerMs < 0) {
  console.error('usage: host --data DIR [--linger MILLISECONDS]')
  process.exit(2)
}
const ending = new AbortController()
process.on('SIGTERM', () => ending.abort())
// What it prints goes into a file: on a full disk that fails, and must not cost the agents (F20).
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
// The terminal that the first gateway ran in may close; the agents are not its business.
process.on('SIGHUP', () => {})
const host = await createHost({ dataDir: resolve(values.data), lingerMs, signal: ending.signal })
if (!host) process.exit(EXIT_TAKEN)
await host.done
process.exit(0)
