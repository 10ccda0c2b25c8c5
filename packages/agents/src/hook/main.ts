import { claudeProcess } from './claude-process.ts'
import { runHook } from './run-hook.ts'

const WATCH_MS = 1000

// Whatever goes wrong: no word, no failure, and the terminal goes on by itself.
process.on('uncaughtException', () => process.exit(0))
process.stdout.on('error', () => process.exit(0))

const { dataDir, parent } = readArguments(process.argv.slice(2))
if (dataDir === undefined) process.exit(0)
// Before anything is waited for: a Claude Code that ends is soon nobody's parent.
const claude = claudeProcess(parent ?? process.ppid)
const output = await runHook({ dataDir, input: await readInput(), process: claude })
if (output === undefined) process.exit(0)
process.stdout.write(`${JSON.stringify(output)}\n`, () => process.exit(0))

function readArguments(words: readonly string[]): { dataDir?: string; parent?: number } {
  const after = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
  const [data, parentPid] = [after('--data'), Number(after('--parent'))]
  return {
    ...(data && { dataDir: data }),
    ...(Number.isSafeInteger(parentPid) && parentPid > 0 && { parent: parentPid }),
  }
}

async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
  watchParent()
  return Buffer.concat(chunks)
}

/** A Claude Code that was killed ends nothing that it started. */
function watchParent(): void {
  const { ppid } = process
  setInterval(() => {
    if (process.ppid !== ppid) process.exit(0)
  }, WATCH_MS)
}
