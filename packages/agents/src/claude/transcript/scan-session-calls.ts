import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Calls } from './open-calls.ts'
import type { ScanOptions } from './scan.ts'
import { scanCalls } from './scan-calls.ts'

/** The calls that are open in a session, its subagents' included, in the order in which they were made. */
export async function scanSessionCalls(path: string, options: ScanOptions = {}): Promise<Calls> {
  const session = await scanCalls(path, options)
  const open = [...session.open.values()]
  for (const file of await subagentTranscripts(path)) {
    open.push(...(await scanCalls(file, options)).open.values())
  }
  open.sort((one, other) => one.at - other.at)
  return { ...session, open: new Map(open.map((call) => [call.toolUseId, call])) }
}

/** See `transcriptOwner`. */
async function subagentTranscripts(path: string): Promise<string[]> {
  const folder = join(path.replace(/\.jsonl$/, ''), 'subagents')
  const below = await readdir(folder, { recursive: true }).catch(() => [])
  return below.filter((name) => /(?:^|[/\\])agent-[^/\\]+\.jsonl$/.test(name)).map((name) => join(folder, name))
}
