// `npm test`: everything, from a fresh clone: install, build, a browser, lint, types, tests. `--long` runs the large counts; other
// arguments go to vitest, to run one file.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBrowser } from './browser.mjs'
import { ensureBuilt, ensureInstalled } from './setup.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const long = process.argv.includes('--long')
const rest = process.argv.slice(2).filter((argument) => argument !== '--long')
const bin = (name) => join(root, 'node_modules', '.bin', name)

await ensureInstalled()
await ensureBuilt()
await ensureBrowser()
if (rest.length === 0) {
  await step('lint', bin('biome'), ['check', '.'])
  await step('types', bin('tsc'), ['--noEmit'])
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-results-'))
const results = join(folder, 'results.json')
const code = await step(
  'tests',
  bin('vitest'),
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`, ...rest],
  { ...process.env, ...(long && { HOLDPOINT_LONG: '1' }) },
  true,
)
const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = read(results)
rmSync(folder, { recursive: true, force: true })
console.log(`tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
process.exit(code)

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return {}
  }
}

/** Runs one step and ends here when it fails, unless its code is wanted. */
async function step(name, command, args, env = process.env, keepGoing = false) {
  const from = performance.now()
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
  const exit = await new Promise((resolve) => child.on('close', (status) => resolve(status ?? 1)))
  console.error(`${name}: ${exit === 0 ? 'fine' : 'failed'} after ${Math.round((performance.now() - from) / 1000)} s`)
  if (exit !== 0 && !keepGoing) process.exit(exit)
  return exit
}
