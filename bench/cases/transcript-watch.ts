import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { GRACE_MS } from '@holdpoint/agents/claude/transcript/open-calls'
import { trackCalls } from '@holdpoint/agents/claude/transcript/track-calls'
import { watchTranscripts } from '@holdpoint/agents/claude/transcript/watch-transcripts'
import { systemClock } from '@holdpoint/server/system/system-clock'
import { temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { percentile, short, spread } from '../statistics.ts'

const FILES = 5000
const FOLDERS = 100
const CALLS = 200
const IDLE_MS = 10_000

/** Five thousand transcripts watched: what it takes, and how soon a call that waits is noticed. */
export async function transcriptWatch(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  const paths = await makeFiles(folder.path)
  global.gc?.()
  const before = process.memoryUsage().rss
  const stop = new AbortController()
  const written = new Map<string, number>()
  const seen: number[] = []
  const noticed: number[] = []
  const tracker = trackCalls({
    clock: systemClock,
    onWaiting: ({ toolUseId }) => noticed.push(performance.now() - (written.get(toolUseId) ?? 0) - GRACE_MS),
    onNotWaiting: () => {},
    onEnded: () => {},
  })
  const from = performance.now()
  const watch = await watchTranscripts({
    path: folder.path,
    clock: systemClock,
    signal: stop.signal,
    onUpdate: ({ entries }) => {
      for (const entry of entries) seen.push(performance.now() - (written.get(entry.uuid ?? '') ?? 0))
      tracker.take(entries)
    },
    onFault: (error) => console.error(error),
  })
  const ready = performance.now() - from
  if (watch.files !== FILES) throw new Error(`${watch.files} files are watched`)
  const memory = process.memoryUsage().rss - before

  const idle = process.cpuUsage()
  await pause(IDLE_MS)
  const { user, system } = process.cpuUsage(idle)
  const share = (user + system) / 1000 / IDLE_MS

  for (let count = 0; count < CALLS; count++) {
    const id = `toolu_${count}`
    const line = callLine(id)
    written.set(id, performance.now())
    await appendFile(paths[(count * 37) % paths.length] ?? '', line)
    await pause(10)
  }
  await pause(GRACE_MS + 500)
  tracker.close()
  stop.abort()
  await watch.closed
  if (noticed.length !== CALLS) throw new Error(`${noticed.length} of ${CALLS} calls were noticed`)
  return [
    {
      what: `${FILES.toLocaleString('en')} transcripts in ${FOLDERS} folders watched: memory`,
      measured: `${short(memory / 1024 ** 2)} MB more; ready after ${short(ready)} ms; ${(share * 100).toFixed(1)} % of a core`,
      budget: '< 100 MB',
      met: memory < 100 * 1024 ** 2,
    },
    {
      what: `a line written until it is read (${CALLS} lines), p50 / p95 / p99`,
      measured: spread(seen),
    },
    {
      what: 'a call that waits: from its line, beyond the grace, until it is noticed, p50 / p95 / p99',
      measured: spread(noticed),
      budget: '≤ 50 ms',
      met: percentile(noticed, 0.99) <= 50,
    },
  ]
}

async function makeFiles(root: string): Promise<string[]> {
  const line = `${JSON.stringify({ type: 'user', message: { content: 'an old prompt' } })}\n`
  const paths = Array.from({ length: FILES }, (_, index) =>
    join(root, `-work-${index % FOLDERS}`, `session-${index}.jsonl`),
  )
  for (let index = 0; index < FOLDERS; index++) await mkdir(join(root, `-work-${index}`))
  for (const path of paths) await writeFile(path, line.repeat(20))
  return paths
}

function callLine(id: string): string {
  const content = [{ type: 'tool_use', id, name: 'Bash', input: { command: 'touch a' } }]
  // Each from a thread of its own: a later message of the same one would end it.
  return `${JSON.stringify({ type: 'assistant', uuid: id, agentId: id, message: { id, content } })}\n`
}
