import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { boundedSize, type HelperEvent, readHelperCommand } from '../terminal/helper-protocol.ts'
import { startHostedProgram } from '../terminal/hosted-program.ts'
import { createPtyHelper } from '../terminal/pty-helper.ts'
import { createScreenKeeper } from '../terminal/screen-keeper.ts'
import { typingGuard } from './typing-guard.ts'

/** How long the last words may take to leave. */
const LAST_WORDS_MS = 2000

const { values, positionals } = parseArgs({
  options: { cols: { type: 'string', default: '80' }, rows: { type: 'string', default: '24' } },
  allowPositionals: true,
})
const [command, ...args] = positionals
if (command === undefined) {
  console.error('usage: pty [--cols NUMBER] [--rows NUMBER] -- PROGRAM [ARGUMENT …]')
  process.exit(2)
}
const size = boundedSize({ cols: Number(values.cols) || 80, rows: Number(values.rows) || 24 })
const program = startHostedProgram({ command, args, ...size, cwd: process.cwd(), env: process.env })
const send = (event: HelperEvent) => void process.stdout.write(`${JSON.stringify(event)}\n`)
const helper = createPtyHelper({
  program,
  screen: createScreenKeeper(size),
  guard: typingGuard({ command, args }),
  send,
  onEnd() {
    program.kill()
    process.stdout.end(() => process.exit(0))
    setTimeout(() => process.exit(0), LAST_WORDS_MS)
  },
  now: () => performance.now(),
  time: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
})
send({ type: 'started', pid: program.pid })
const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
input.on('line', (line) => {
  const given = readHelperCommand(line)
  if (given) helper.take(given)
})
// The host is gone: nobody will ever look at this screen again.
input.on('close', () => program.hangUp())
process.stdout.on('error', () => program.hangUp())
// Shells do not heed SIGTERM; that their terminal is gone, they do.
process.on('SIGTERM', () => program.hangUp())
process.on('SIGHUP', () => program.hangUp())
