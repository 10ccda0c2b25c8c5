// Brings a checkout into a state that runs, doing only what is missing. Plain Node: it has to work before anything is
// installed. Words go to stderr.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const installStamp = join(modules, '.holdpoint-stamp')
/** What is built each on its own, from which sources, and where: a slip in the app must not keep the gateway from running. */
export const PARTS = {
  programs: { sources: (path) => !/^(apps\/web|packages\/react)\//.test(path), folder: join(root, 'dist') },
  web: {
    sources: (path) => /^(apps\/web|packages\/(react|client|core|schema))\//.test(path),
    folder: join(root, 'dist', 'web'),
  },
}
const OLDEST_NODE = [20, 19]

/** Installs the dependencies when they are not the ones that the lockfile names. */
export async function ensureInstalled() {
  refuseOldNode()
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const stamp = hashOf(lock, process.version)
  if (readStamp(installStamp) === stamp) return
  if (!isInstalled(JSON.parse(lock))) {
    // Gone before the work begins: what is interrupted half-way must not pass for done.
    rmSync(installStamp, { force: true })
    await run('Installing dependencies (about 250 MB, once)', {
      command: process.platform === 'win32' ? 'npm.cmd' : 'npm',
      args: ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
      advice:
        'The dependencies could not be installed. Is the network up, and does npm reach its registry ("npm ping")? Then try again.',
    })
  }
  writeFileSync(installStamp, stamp)
}

/** Builds what is in dist/ when the sources are not the ones it was built from. */
export async function ensureBuilt(parts = Object.keys(PARTS)) {
  for (const part of parts) {
    const { sources, folder } = PARTS[part]
    const buildStamp = join(folder, '.stamp')
    const stamp = sourcesHash(sources)
    if (readStamp(buildStamp) === stamp) continue
    rmSync(buildStamp, { force: true })
    // In a process of its own: the bundler's memory must not stay with a gateway that runs for days.
    await run(`Building the ${part}`, {
      command: process.execPath,
      args: [join('scripts', 'build.mjs'), part],
      advice: 'The build failed.',
    })
    writeFileSync(buildStamp, stamp)
  }
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_NODE
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  console.error(`Holdpoint needs Node ${OLDEST_NODE.join('.')} or later; this is ${process.version}.`)
  process.exit(1)
}

/** Whether npm's own record of what it installed says what the lockfile says: somebody ran `npm ci` by hand. */
function isInstalled(lock) {
  const record = join(modules, '.package-lock.json')
  if (!existsSync(record)) return false
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages ?? {}
  return Object.entries(lock.packages ?? {}).every(([path, wanted]) => {
    if (!path.startsWith('node_modules/')) return true
    const found = installed[path]
    // Packages for other systems are in the lockfile, and are left out.
    if (!found) return wanted.optional === true
    return found.version === wanted.version && found.resolved === wanted.resolved && existsSync(join(root, path))
  })
}

/** Contents, not times: copies and checkouts change times as they like. */
function sourcesHash(isWanted) {
  const files = ['package-lock.json', join('scripts', 'build.mjs')]
  for (const folder of ['packages', 'apps']) {
    const paths = filesIn(join(root, folder)).map((path) => relative(root, path))
    files.push(...paths.filter((path) => isWanted(path.split(sep).join('/'))))
  }
  return hashOf(process.version, ...files.sort().flatMap((path) => [path, readFileSync(join(root, path))]))
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules' || entry.name === 'dist' || entry.name.startsWith('.')) return []
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesIn(path)
    return entry.isFile() && !/\.test\.\w+$/.test(entry.name) ? [path] : []
  })
}

function hashOf(...parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}\n`).update(part)
  return hash.digest('hex')
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Runs a step, says how long it takes, and ends this process with its output when it fails. */
export async function run(what, { command, args, advice, env }) {
  const started = performance.now()
  const elapsed = () => `${Math.round((performance.now() - started) / 1000)} s`
  const shown = process.stderr.isTTY
    ? setInterval(() => process.stderr.write(`\r${what} … ${elapsed()}`), 1000)
    : undefined
  process.stderr.write(`${what} …`)
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output.push(Buffer.from(`${error.message}\n`))
      resolve(1)
    })
    child.on('close', (exit, signal) => resolve(signal ? 1 : exit))
  })
  clearInterval(shown)
  process.stderr.write(
    `${process.stderr.isTTY ? `\r${what} … ` : ' '}${code === 0 ? 'done in' : 'failed after'} ${elapsed()}\n`,
  )
  if (code === 0) return
  process.stderr.write(Buffer.concat(output))
  console.error(advice)
  process.exit(1)
}
