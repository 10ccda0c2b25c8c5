// `npm run dev -- …`: the gateway and the app from the sources, on a data folder of their own (.dev). Every change builds what
// it concerns and starts the gateway again; agents go on, and open pages reload. Arguments go to `holdpoint start`.
import { spawn, spawnSync } from 'node:child_process'
import { rmSync, watch } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, PARTS } from './setup.mjs'

/** An editor writes a file in several steps, and several files at once. */
const DEBOUNCE_MS = 150

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const given = process.argv.slice(2)
let gateway
let isStopping = false
let timer
let isBuilding = false
const changed = new Set()

await ensureInstalled()
for (const part of Object.keys(PARTS)) if (!build(part)) process.exit(1)
startGateway()
for (const folder of ['packages', 'apps'])
  watch(join(root, folder), { recursive: true }, (_, name) => note(folder, name))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(signal))

function note(folder, name) {
  const path = [folder, ...(name ?? '').split(sep)].join('/')
  if (/\/(node_modules|dist)\/|\.test\.\w+$|~$/.test(path) || !/\.\w+$/.test(path)) return
  for (const [part, { sources }] of Object.entries(PARTS)) if (sources(path)) changed.add(part)
  clearTimeout(timer)
  timer = setTimeout(rebuild, DEBOUNCE_MS)
}

async function rebuild() {
  if (isBuilding || isStopping || changed.size === 0) return
  isBuilding = true
  const parts = [...changed]
  changed.clear()
  const isBuilt = parts.map(build).every(Boolean)
  if (isBuilt) await restart()
  else console.error('The gateway that runs is the one from before. Waiting for the next change.')
  isBuilding = false
  // What came meanwhile.
  void rebuild()
}

/** In a process of its own: what does not build must not end this one. */
function build(part) {
  const started = performance.now()
  // What is built here is not what `npm start` would build.
  rmSync(join(PARTS[part].folder, '.stamp'), { force: true })
  const { status } = spawnSync(process.execPath, [join('scripts', 'build.mjs'), part, '--dev'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.error(`${part}: ${status === 0 ? 'built in' : 'failed after'} ${seconds} s`)
  return status === 0
}

function startGateway() {
  const args = [join('dist', 'cli.js'), 'start', '--data', '.dev', '--port', '4690', ...given]
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  gateway = child
  child.on('exit', (code) => {
    if (gateway !== child) return
    gateway = undefined
    if (code !== 0 && !isStopping) console.error('The gateway has ended. Waiting for the next change.')
    if (code === 0 || isStopping) process.exit(code ?? 0)
  })
}

async function restart() {
  const before = gateway
  gateway = undefined
  if (before && before.exitCode === null) {
    const ended = new Promise((resolve) => before.once('exit', resolve))
    before.kill('SIGTERM')
    await ended
  }
  if (!isStopping) startGateway()
}

function stop(signal) {
  if (isStopping) return
  isStopping = true
  if (gateway) gateway.kill(signal)
  else process.exit(0)
}
