// Bundles into dist/: `programs`, which are the command, the host, and what tests and benchmarks run as processes of
// their own; and `web`, the app. Both, unless one is named. `--dev`: the app reloads when it is built anew, and is not pressed.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')
// Built aside and put in place at the end: a gateway that runs from dist/ must not find half of it gone.
const aside = join(root, `dist.next-${process.pid}`)
/** Large, native, or not ours to pack: loaded from node_modules when they are needed. */
const external = [/^node:/, '@anthropic-ai/claude-agent-sdk', 'node-sqlite3-wasm', 'rolldown', '@lydell/node-pty']

const programs = [
  { input: { cli: 'apps/cli/src/main.ts' }, dir: '.' },
  { input: { host: 'packages/agents/src/host/program/main.ts' }, dir: '.' },
  { input: { pty: 'packages/agents/src/hosted/pty-main.ts' }, dir: '.' },
  { input: { changes: 'packages/server/src/changes/worker-main.ts' }, dir: '.' },
  { input: { hook: 'packages/agents/src/claude/hooks/main.ts' }, dir: '.' },
  {
    input: {
      'failing-gateway': 'packages/testing/src/failing-gateway.ts',
      'synthetic-agent': 'packages/testing/src/synthetic-agent-main.ts',
      'clustered-gateway': 'packages/testing/src/cluster-kills/gateway-main.ts',
      'forms-server': 'packages/demo-model/src/forms-server-main.ts',
    },
    dir: 'testing',
  },
]

/** The gallery is a build beside the app's: tests have a gateway serve it, and what is shipped knows nothing of it. */
const pages = [
  { mode: 'production', dir: 'web' },
  { mode: 'gallery', dir: 'web-gallery' },
]

const dev = process.argv.includes('--dev')
const [only] = process.argv.slice(2).filter((argument) => argument !== '--dev')
rmSync(aside, { recursive: true, force: true })
mkdirSync(aside)
try {
  if (only !== 'web') await buildPrograms()
  if (only !== 'programs') await buildWeb()
} finally {
  rmSync(aside, { recursive: true, force: true })
}

async function buildPrograms() {
  const { build } = await import('rolldown')
  const folder = join(aside, 'programs')
  for (const { input, dir } of programs) {
    await build({
      cwd: root,
      input,
      external,
      platform: 'node',
      logLevel: 'warn',
      output: {
        dir: join(folder, dir),
        format: 'esm',
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        sourcemap: true,
      },
    })
  }
  chmodSync(join(folder, 'cli.js'), 0o755)
  copyFileSync(join(root, 'packages/agents/src/claude/hooks/hook.sh'), join(folder, 'hook.sh'))
  for (const { dir } of pages) if (existsSync(join(dist, dir))) renameSync(join(dist, dir), join(folder, dir))
  putInPlace(folder, dist)
}

async function buildWeb() {
  // Tests that build on their way say `test` here, and get React with all its checks.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  for (const { mode, dir } of dev ? [{ mode: 'dev', dir: 'web' }] : pages) {
    await build({
      configFile: join(root, 'apps/web/vite.config.ts'),
      mode,
      logLevel: 'warn',
      build: { outDir: join(aside, dir) },
    })
  }
  pinAssets(join(aside, 'web'))
  if (!dev) compress(join(aside, 'web'))
  mkdirSync(dist, { recursive: true })
  for (const { dir } of pages) if (existsSync(join(aside, dir))) putInPlace(join(aside, dir), join(dist, dir))
}

/** Two builds may end at the same moment: then the later one takes the place of the earlier one. */
function putInPlace(folder, place) {
  const before = join(aside, 'before')
  for (;;) {
    try {
      rmSync(before, { recursive: true, force: true })
      if (existsSync(place)) renameSync(place, before)
      return renameSync(folder, place)
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code) || !existsSync(folder)) throw error
    }
  }
}

/**
 * Writes the hash of every script and of the stylesheet into the page. Parts of the app are loaded when they are first needed:
 * by then somebody else may have taken the gateway's port, and what he sends must not run, nor dress a card (T64).
 */
function pinAssets(folder) {
  const names = readdirSync(join(folder, 'assets'))
  const hashOf = (name) => {
    const bytes = readFileSync(join(folder, 'assets', name))
    return `sha384-${createHash('sha384').update(bytes).digest('base64')}`
  }
  const scripts = names.filter((name) => name.endsWith('.js')).map((name) => [`/assets/${name}`, hashOf(name)])
  const map = JSON.stringify({ integrity: Object.fromEntries(scripts) })
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
    // Before anything that loads one.
    .replace('<script type="module"', () => `<script type="importmap">${map}</script>\n    <script type="module"`)
    .replace(/<link rel="stylesheet" crossorigin href="\/assets\/([^"]+)"/g, (link, name) => {
      return `${link} integrity="${hashOf(name)}"`
    })
  // A stylesheet that is loaded later could carry no hash.
  for (const name of names.filter((name) => !name.endsWith('.js')))
    if (!page.includes(`href="/assets/${name}" integrity=`)) throw new Error(`Nothing in the page vouches for ${name}.`)
  writeFileSync(join(folder, 'index.html'), page)
}

/** Once, here, as small as it gets: the gateway only picks the one that a browser takes. The page it writes itself. */
function compress(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !/\.(js|css|svg|webmanifest)$/.test(entry.name)) continue
    const bytes = readFileSync(path)
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    writeFileSync(`${path}.br`, brotliCompressSync(bytes))
  }
}
