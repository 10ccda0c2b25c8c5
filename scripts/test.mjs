// `npm test`: everything, from a fresh clone: install, build, a browser, lint, types, unused code, tests. Arguments choose test
// files, and only what those need is prepared; options for vitest follow them. `--unit`: the files that need no build, browser,
// agent, gateway or other process. `--watch`: runs again on every change. `--long`: the large counts.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBrowser } from './browser.mjs'
import { ensurePostgres } from './postgres.mjs'
import { ensureBuilt, ensureInstalled } from './setup.mjs'
import { testNeeds } from './test-needs.mjs'

const SLOWEST = 12
/** So many files with failures may have met a busy machine. More have met a fault. */
const MAX_RUN_AGAIN = 3

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (name) => join(root, 'node_modules', '.bin', name)
const OWN = ['--long', '--unit', '--watch']
const given = process.argv.slice(2)
const [long, unit, watch] = OWN.map((option) => given.includes(option))
const rest = given.filter((argument) => !OWN.includes(argument))
// Files come first: behind an option, a word may be its value.
const end = rest.findIndex((argument) => argument.startsWith('-'))
const wanted = end < 0 ? rest : rest.slice(0, end)
const options = rest.slice(wanted.length)
const started = performance.now()

await ensureInstalled()
const chosen = [...testNeeds()].filter(
  ([file, needs]) =>
    (!unit || needs.size === 0) && (wanted.length === 0 || wanted.some((part) => file.includes(relativeTo(part)))),
)
if (chosen.length === 0) {
  console.error(`No test file has ${wanted.join(' or ')} in its path.`)
  process.exit(1)
}
const isWhole = !unit && wanted.length === 0
const needs = new Set(chosen.flatMap(([, each]) => [...each]))
const parts = ['programs', 'web'].filter((part) => needs.has(part))
if (parts.length > 0) await ensureBuilt(parts)
if (needs.has('browser')) await ensureBrowser()
if (needs.has('whole-browser')) await ensureBrowser({ whole: true })
if (needs.has('postgres')) await ensurePostgres()
if (isWhole && options.length === 0) {
  await step('lint', bin('biome'), ['check', '.'])
  await step('types', bin('tsc'), ['--noEmit'])
  await step('unused code', bin('knip'), ['--no-progress'])
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-results-'))
const results = join(folder, 'results.json')
const reporters = watch ? [] : ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
const env = { ...process.env, HOLDPOINT_TEST_NEEDS: [...needs].join(','), ...(long && { HOLDPOINT_LONG: '1' }) }
let code = await step(
  'tests',
  bin('vitest'),
  [watch ? 'watch' : 'run', ...reporters, ...options, ...(isWhole ? [] : chosen.map(([file]) => file))],
  env,
  true,
)
if (!watch) {
  const first = read(results)
  report(first)
  if (code !== 0 && isWhole) code = await runAgain(first)
}
rmSync(folder, { recursive: true, force: true })
process.exit(code)

/**
 * Runs the failed files once more, alone. Programs and browsers that share two cores can be later than a test expects; such a
 * failure is named here, and is a fault of the test to be mended. A failure that repeats, or in a test without programs, stays.
 */
async function runAgain({ testResults = [] }) {
  const failed = testResults.filter(({ status }) => status === 'failed')
  const files = failed.map(({ name }) => relative(root, name))
  const mayBeLate = files.every((file) => chosen.some(([path, each]) => path === file && each.size > 0))
  if (files.length === 0 || files.length > MAX_RUN_AGAIN || !mayBeLate) return 1
  const status = await step(
    'failed files, run again alone',
    bin('vitest'),
    ['run', '--maxWorkers=1', ...files],
    env,
    true,
  )
  const names = failed.flatMap(({ assertionResults }) =>
    assertionResults.filter((each) => each.status === 'failed').map(({ fullName }) => fullName),
  )
  if (status === 0)
    console.log(`unsteady, passed only when run again alone:\n${names.map((name) => `  ${name}`).join('\n')}`)
  return status
}

/** A part of a path from the root; what a shell completes from another folder is taken from there. */
function relativeTo(part) {
  return part.startsWith('.') || isAbsolute(part) ? relative(root, resolve(part)) : part
}

/** Where the time went, and how it ended. */
function report({ testResults = [], numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 }) {
  const files = testResults.map(({ name, startTime, endTime }) => ({
    path: relative(root, name),
    seconds: (endTime - startTime) / 1000,
  }))
  if (files.length > SLOWEST) {
    console.log('slowest files:')
    for (const { path, seconds } of files.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST))
      console.log(`  ${seconds.toFixed(0).padStart(4)} s  ${path}`)
    const byPackage = new Map()
    for (const { path, seconds } of files) {
      const name = path
        .split('/')
        .slice(0, path.startsWith('scripts') ? 1 : 2)
        .join('/')
      byPackage.set(name, (byPackage.get(name) ?? 0) + seconds)
    }
    const sums = [...byPackage]
      .sort(([, a], [, b]) => b - a)
      .map(([name, seconds]) => `${name} ${seconds.toFixed(0)} s`)
    console.log(`time of all files, several at once: ${sums.join(', ')}`)
  }
  const total = Math.round((performance.now() - started) / 1000)
  console.log(`tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped, in ${total} s`)
}

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
  const child = spawn(command, args, { cwd: root, env, stdio: [watch ? 'inherit' : 'ignore', 'inherit', 'inherit'] })
  const exit = await new Promise((resolve) => child.on('close', (status) => resolve(status ?? 1)))
  console.error(`${name}: ${exit === 0 ? 'fine' : 'failed'} after ${Math.round((performance.now() - from) / 1000)} s`)
  if (exit !== 0 && !keepGoing) process.exit(exit)
  return exit
}
