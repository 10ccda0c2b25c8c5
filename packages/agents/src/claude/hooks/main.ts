import { runHook } from './run-hook.ts'

// Whatever goes wrong: no word, no failure, and the terminal goes on by itself.
process.on('uncaughtException', () => process.exit(0))
process.stdout.on('error', () => process.exit(0))

const words = process.argv.slice(2)
const after = (name: string) => (words.includes(name) ? words[words.indexOf(name) + 1] : undefined)
const [dataDir, parent] = [after('--data'), Number(after('--parent'))]
if (!dataDir || !Number.isSafeInteger(parent) || parent < 1) process.exit(0)

const chunks: Buffer[] = []
for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk)
const output = await runHook({ dataDir, input: Buffer.concat(chunks), parent, isLife: words.includes('--life') })
if (output === undefined) process.exit(0)
process.stdout.write(Buffer.concat([output, Buffer.from('\n')]), () => process.exit(0))
