// `npm run adopt -- VERSION [--keep]`: tries another version of the Claude Agent SDK. Installs it in a copy of this checkout,
// runs the canaries there, and says which facts about the agent hold no more. The checkout stays as it is; with --keep it gets
// the version, and the canaries the number that they were measured on.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SDK = '@anthropic-ai/claude-agent-sdk'
const CANARIES = 'packages/agents/src/claude/canary'
const MEASURED = join(CANARIES, 'measured-version.ts')
const PLATFORM = `${process.platform}-${process.arch}`

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const keep = process.argv.includes('--keep')
const [version] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
if (version === undefined || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
  console.error('usage: npm run adopt -- VERSION [--keep]\nVERSION is one of the Claude Agent SDK, such as 0.3.300.')
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-adopt-'))
const temporary = join(folder, 'tmp')
let isFine = false
let running
// npm passes a signal on that the terminal has sent here as well: the second one must not end what tidies up.
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void interrupted(signal))
try {
  const before = installedVersion(root)
  console.error(`Trying ${SDK} ${version} in a copy; this checkout has ${before ?? 'none'}.`)
  await copyTracked()
  mkdirSync(temporary, { recursive: true })
  // A version may be younger than npm is told to take: it is only tried here.
  const manifests = writeManifests()
  forgetLocked()
  const flags = [
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--min-release-age=0',
    '--omit-lockfile-registry-resolved',
  ]
  await must('Installing', 'npm', ['install', ...flags])
  const claudeCode = JSON.parse(
    readFileSync(join(folder, 'node_modules', SDK, 'package.json'), 'utf8'),
  ).claudeCodeVersion
  writeMeasured(folder, claudeCode)
  const results = join(folder, 'canaries.json')
  // They start the agent itself, and nothing that is built here.
  process.env.HOLDPOINT_TEST_NEEDS = ''
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
  await run('The canaries', join(folder, 'node_modules', '.bin', 'vitest'), ['run', CANARIES, ...reporters])
  const failed = failures(results)
  const [late, changed] = [failed.filter(isLate), failed.filter((failure) => !isLate(failure))]
  for (const { file, name, why } of changed) console.log(`changed: ${name}\n  ${file}\n  ${why}`)
  for (const { file, name } of late) console.log(`took too long: ${name}\n  ${file}`)
  console.log(`${SDK} ${version} (Claude Code ${claudeCode}): ${summary(changed.length, late.length)}`)
  isFine = failed.length === 0
  if (keep) {
    for (const file of [...manifests, 'package-lock.json', MEASURED]) cpSync(join(folder, file), join(root, file))
    console.log(
      'Kept: the manifests, package-lock.json and the measured version. Run npm test, and record what changed.',
    )
  } else console.log('Nothing was changed here. With --keep this checkout gets the version.')
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
}
end(isFine ? 0 : 1)

function summary(changed, late) {
  if (changed + late === 0) return 'every canary holds.'
  const words = []
  if (changed > 0) {
    words.push(
      `${changed} facts are not as they were measured. Read them before you take it: docs/claude-code.md says what relies on them.`,
    )
  }
  if (late > 0) words.push(`${late} took too long to be measured. Try again while the machine has less to do.`)
  return words.join(' ')
}

/** Waits for what runs in the copy: it would write there again. */
async function interrupted(signal) {
  if (isInterrupted) return
  isInterrupted = true
  if (running && running.exitCode === null) {
    const ended = new Promise((resolve) => running.once('close', resolve))
    signalGroup(running.pid, signal)
    await ended
  }
  end(1)
}

/** An agent outlives a canary that took too long, and its group has it still. */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function end(code) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}

function installedVersion(place) {
  try {
    return JSON.parse(readFileSync(join(place, 'node_modules', SDK, 'package.json'), 'utf8')).version
  } catch {
    return undefined
  }
}

/** What git knows, as it is now. */
async function copyTracked() {
  const listed = await output('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  for (const path of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path), { verbatimSymlinks: true, force: true, errorOnExist: false })
  }
}

/** Every manifest that names the SDK gets the version; gives their paths. */
function writeManifests() {
  const { workspaces } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const folders = workspaces.flatMap((pattern) =>
    pattern.endsWith('/*')
      ? readdirSync(join(folder, dirname(pattern))).map((name) => join(dirname(pattern), name))
      : [pattern],
  )
  return folders
    .map((name) => join(name, 'package.json'))
    .filter((path) => {
      const text = readFileSync(join(folder, path), 'utf8')
      const changed = text.replace(new RegExp(`("${SDK}": )"[^"]+"`), `$1"${version}"`)
      writeFileSync(join(folder, path), changed)
      return changed !== text
    })
}

/** Where the lockfile has another version, npm would install this one five times, below each package that names it. */
function forgetLocked() {
  const path = join(folder, 'package-lock.json')
  const lock = JSON.parse(readFileSync(path, 'utf8'))
  const kept = Object.entries(lock.packages).filter(([name]) => !name.includes(`node_modules/${SDK}`))
  writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(kept) }, null, 2)}\n`)
}

function writeMeasured(place, claudeCode) {
  const path = join(place, MEASURED)
  const text = readFileSync(path, 'utf8').replace(
    /sdk: '[^']*', claudeCode: '[^']*'/,
    `sdk: '${version}', claudeCode: '${claudeCode}'`,
  )
  writeFileSync(path, text)
}

function failures(results) {
  const { testResults } = JSON.parse(readFileSync(results, 'utf8'))
  return testResults.flatMap(({ name: path, message, assertionResults }) => {
    const file = path.slice(path.indexOf(CANARIES))
    if (assertionResults.length === 0) return [{ file, name: 'the whole file', why: firstLine(message) }]
    return assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({ file, name: fullName, why: firstLine(failureMessages[0]) }))
  })
}

/** What vitest writes for a test that ran out of time. */
function isLate({ why }) {
  return /STACK_TRACE_ERROR|timed out/.test(why)
}

function firstLine(text = '') {
  return text.split('\n')[0]
}

async function must(what, command, args) {
  if ((await run(what, command, args)) !== 0)
    throw new Error(`${what} failed. Is there such a version for ${PLATFORM}?`)
}

async function run(what, command, args) {
  const started = performance.now()
  console.error(`${what} …`)
  const child = spawn(command, args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own, and its temporary files in the copy: nothing of it is left, whatever it did not clean up.
    detached: true,
    env: { ...process.env, TMPDIR: temporary },
  })
  running = child
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('close', (exit) => resolve(exit ?? 1))
  })
  signalGroup(child.pid, 'SIGKILL')
  console.error(`${what}: ${Math.round((performance.now() - started) / 1000)} s`)
  return code
}

async function output(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const chunks = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
