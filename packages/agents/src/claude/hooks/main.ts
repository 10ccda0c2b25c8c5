import { runHook } from './run-hook.ts'

// Whatever goes wrong: no word, no failure, and the terminal goes on by itself; but before a call, a no (2).
const words = process.argv.slice(2)
const after = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
const [dataDir, parent, before] = [after('--data'), Number(after('--parent')), after('--before')]
process.stdout.on('error', () => process.exit(0))
process.on('uncaughtException', () => process.exit(before === undefined ? 0 : 2))
if (!dataDir || !Number.isSafeInteger(parent) || parent < 1) leave(before)
else await run(dataDir)

async function run(folder: string) {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
  const input = Buffer.concat(chunks)
  const isLife = words.includes('--life')
  leave(await runHook({ dataDir: folder, input, parent, isLife, ...(before !== undefined && { before }) }))
}

function leave(output: Buffer | string | undefined) {
  if (output === undefined) process.exit(0)
  process.stdout.write(Buffer.concat([Buffer.from(output), Buffer.from('\n')]), () => process.exit(0))
}
