import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { apiClient } from '@holdpoint/testing/api-client'
import { callHooks } from '@holdpoint/testing/terminal/hook-client'
import { startGatewayProcess, TOKEN, temporaryFolder } from '../gateway-process.ts'
import { cpuSeconds, residentMegabytes } from '../process-figures.ts'
import type { Row } from '../report.ts'
import { short } from '../statistics.ts'

const HOOKS = 2664
const AT_ONCE = 100
const SETTLE_MS = 5000
const WATCH_MS = 10_000

/** Hooks of attached terminals that wait for a person, each in a session of its own, while nothing happens. */
export async function waitingHooks(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  await using gateway = await startGatewayProcess({ dataDir: folder.path })
  const api = apiClient(gateway.ready.url, TOKEN)
  const transcripts = join(folder.path, 'projects', '-p')
  await mkdir(transcripts, { recursive: true })
  const over = new AbortController()
  const waiting: Promise<unknown>[] = []
  while (waiting.length < HOOKS) {
    const more = Array.from({ length: Math.min(AT_ONCE, HOOKS - waiting.length) }, async () => {
      const id = randomUUID()
      const input = { command: `echo ${id}` }
      // As Claude Code does before it asks: the gateway would wait a moment for it.
      const call = { type: 'tool_use', id: `toolu_${id}`, name: 'Bash', input }
      const line = { type: 'assistant', message: { role: 'assistant', content: [call] } }
      await writeFile(join(transcripts, `${id}.jsonl`), `${JSON.stringify(line)}\n`)
      const query = { pid: String(process.pid), parent: String(process.pid), request: id }
      const body = {
        session_id: id,
        cwd: folder.path,
        transcript_path: join(transcripts, `${id}.jsonl`),
        hook_event_name: 'PermissionRequest',
        tool_name: 'Bash',
        tool_input: input,
      }
      return callHooks(folder.path, { query, body, signal: over.signal }).catch(() => {})
    })
    waiting.push(...more)
    while ((await api.openAsks()).length < waiting.length) await pause(50)
  }
  await pause(SETTLE_MS)
  const before = await cpuSeconds(gateway.pid)
  await pause(WATCH_MS)
  const share = ((await cpuSeconds(gateway.pid)) - before) / (WATCH_MS / 1000)
  const megabytes = await residentMegabytes(gateway.pid)
  over.abort()
  await Promise.all(waiting)
  return [
    {
      what: `${HOOKS.toLocaleString('en')} hooks that wait, each in a session of its own, while nothing happens`,
      measured: `${(share * 100).toFixed(1)} % of a core, ${short(megabytes)} MB resident`,
      budget: '≤ 5 % of a core',
      met: share <= 0.05,
    },
  ]
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
