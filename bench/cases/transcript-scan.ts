import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { readThread } from '@holdpoint/agents/claude/transcript/read-thread'
import { scanFile } from '@holdpoint/agents/claude/transcript/scan'
import { temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { median, short } from '../statistics.ts'

const SCAN_BYTES = 256 * 1024 * 1024
const THREAD_BYTES = 1024 ** 3
const ROUNDS = 5

/** A long conversation: how fast its tool calls are found, and how soon its newest page is there. */
export async function transcriptScan(): Promise<readonly Row[]> {
  await using folder = await temporaryFolder()
  const scanned = join(folder.path, 'scan.jsonl')
  const long = join(folder.path, 'long.jsonl')
  await writeTranscript(scanned, SCAN_BYTES)
  await writeTranscript(long, THREAD_BYTES)

  const bare: number[] = []
  const ours: number[] = []
  const buffer = await readFile(scanned)
  for (let round = 0; round < ROUNDS; round++) {
    let lines = 0
    bare.push(
      await seconds(async () => {
        lines = bareLoop(buffer)
      }),
    )
    let entries = 0
    ours.push(await seconds(() => scanFile(scanned, () => void entries++)))
    if (entries !== lines) throw new Error(`found ${entries} calls, the bare loop ${lines}`)
  }
  const perSecond = (times: readonly number[]) => buffer.length / median(times) / 1e9
  const ratio = perSecond(ours) / perSecond(bare)

  const opening: number[] = []
  const { size } = await stat(long)
  for (let round = 0; round < ROUNDS; round++) {
    opening.push(
      await seconds(async () => {
        const page = await readThread(long, { limit: 100 })
        if ((page?.items.length ?? 0) < 100) throw new Error('the page is not full')
      }),
    )
  }
  const middle = await seconds(() => readThread(long, { limit: 100, before: Math.floor(size / 2) }))
  return [
    {
      what: `transcript of ${SCAN_BYTES / 1024 ** 2} MB scanned for tool calls, from the file`,
      measured: `${perSecond(ours).toFixed(2)} GB/s`,
      against: `bare loop over a buffer in memory ${perSecond(bare).toFixed(2)} GB/s`,
      ratio,
      budget: '≥ 0.80 ×',
      met: ratio >= 0.8,
    },
    {
      what: `transcript of ${(size / 1024 ** 3).toFixed(2)} GB, its newest 100 items as a thread (slowest of ${ROUNDS})`,
      measured: `${short(Math.max(...opening) * 1000)} ms; a page from its middle ${short(middle * 1000)} ms`,
      budget: '< 1 s',
      met: Math.max(...opening) < 1,
    },
  ]
}

/** The least that finds tool calls: looks for newlines, and parses only the lines that hold one. */
function bareLoop(buffer: Buffer): number {
  const use = Buffer.from('"tool_use"')
  let found = 0
  for (let start = 0; ; ) {
    const end = buffer.indexOf(0x0a, start)
    if (end < 0) return found
    const line = buffer.subarray(start, end)
    if (line.includes(use)) {
      JSON.parse(line.toString('utf8'))
      found++
    }
    start = end + 1
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

/** Turns as Claude Code writes them today: most of the bytes are requests and attachments, not the conversation. */
async function writeTranscript(path: string, bytes: number): Promise<void> {
  const file = createWriteStream(path, { highWaterMark: 8 * 1024 * 1024 })
  for (let turn = 0, written = 0; written < bytes; turn++) {
    const text = turnLines(turn)
    written += text.length
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await finished(file)
  // So that neither side waits for the disk.
  const handle = await open(path)
  await handle.sync()
  await handle.close()
}

const REQUEST = 'You are an agent. "Quoted" words, paths like /home/dev/project, and\nlines.'.repeat(150)
const ATTACHMENT = 'A list of tools and skills, each with a description of what it is for.\n'.repeat(40)
const OUTPUT = 'src/index.ts:12:export function main() {\n'.repeat(60)
const WORDS = 'I have looked at it, and this is what I think should be done next.\n'.repeat(12)

function turnLines(turn: number): string {
  const common = { sessionId: 'e0a1c9f4-0000-4000-8000-000000000000', cwd: '/home/dev/project', version: '2.1.325' }
  const at = { timestamp: new Date(1_760_000_000_000 + turn * 1000).toISOString() }
  const id = `toolu_${turn}`
  const entries = [
    { type: 'user', uuid: `p${turn}`, ...at, message: { content: `Go on with part ${turn}` }, ...common },
    { type: 'attachment', uuid: `a${turn}`, ...at, attachment: { text: ATTACHMENT }, ...common },
    { type: 'api-request', id: `r${turn}`, ...at, params: { system: REQUEST }, ...common },
    {
      type: 'assistant',
      uuid: `c${turn}`,
      ...at,
      message: {
        id: `m${turn}`,
        content: [{ type: 'tool_use', id, name: 'Bash', input: { command: `rg main ${turn}` } }],
      },
      ...common,
    },
    {
      type: 'user',
      uuid: `o${turn}`,
      ...at,
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: OUTPUT }] },
      ...common,
    },
    {
      type: 'assistant',
      uuid: `w${turn}`,
      ...at,
      message: { id: `n${turn}`, content: [{ type: 'text', text: WORDS }] },
      ...common,
    },
  ]
  return `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`
}
