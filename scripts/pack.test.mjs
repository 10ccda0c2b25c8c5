import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '@holdpoint/testing/until'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePackage } from './make-package.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

describe('the package', () => {
  let folder
  let archive
  let app

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-pack-')))
    archive = await makePackage(folder)
    // As its user installs it; React and the tools are what a user has beside it.
    app = join(folder, 'app')
    mkdirSync(app)
    write('package.json', JSON.stringify({ private: true, type: 'module' }))
    run('npm', ['install', '--no-audit', '--no-fund', archive], app)
    for (const name of ['react', 'react-dom', 'scheduler', 'vite', '@types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function write(path, text) {
    writeFileSync(join(app, path), text)
  }

  function run(command, args, cwd) {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: environment() })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${stdout}${stderr}`)
    return stdout
  }

  function environment() {
    const npm = { npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' }
    return { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...npm }
  }

  it('holds no maps, no tests, no gallery, no code of the agent’s vendor, and installs one dependency', () => {
    const files = readdirSync(join(folder, 'package'), { recursive: true })
    expect(files.filter((name) => /\.map$|\.test\.|gallery|testing|\.stamp$/.test(name))).toEqual([])
    const { dependencies, scripts } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
    expect(Object.keys(dependencies)).toEqual(['node-sqlite3-wasm'])
    expect(scripts).toBeUndefined()
    const notices = readFileSync(join(folder, 'package/THIRD-PARTY.md'), 'utf8')
    for (const name of ['zod', 'ws', 'commander', 'react', 'lucide-react']) expect(notices, name).toContain(name)
    expect(notices).not.toContain('@anthropic-ai/')
    for (const name of files.filter((path) => path.endsWith('.js')))
      expect(readFileSync(join(folder, 'package', name), 'utf8'), name).not.toMatch(/Anthropic PBC|from ?"@holdpoint\//)
  })

  it('starts with npx in an empty folder, serves the app, and says which agents it has', async () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    cpSync(archive, join(empty, basename(archive)))
    const token = 'a-token-for-tests-0123456789abcdef0123456789'
    const data = join(folder, 'data')
    const args = ['--yes', `--package=./${basename(archive)}`, 'holdpoint', 'start', '--port', '0', '--data', data]
    const child = spawn('npx', args, {
      cwd: empty,
      env: { ...environment(), HOLDPOINT_TOKEN: token },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    const exited = new Promise((resolve) => child.on('close', resolve))
    try {
      await until(() => output.includes('\n') || child.exitCode !== null, 'the ready line', 40_000)
      const url = /^Holdpoint is ready: (http:\/\/127\.0\.0\.1:\d+)\/#login=/.exec(output)?.[1]
      expect(url, output + errors).toBeDefined()
      const page = await (await fetch(url)).text()
      const [script] = /\/assets\/[\w-]+\.js/.exec(page) ?? []
      expect(script, page).toBeDefined()
      expect((await fetch(url + script)).headers.get('content-type')).toContain('javascript')
      const me = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${token}` } })
      expect(await me.json()).toMatchObject({ agents: ['claude', 'demo'] })
    } finally {
      run(
        process.execPath,
        [join(app, 'node_modules/holdpoint/bin/holdpoint.js'), 'stop', '--all', '--data', data],
        app,
      )
      await exited
    }
    expect(existsSync(join(empty, 'node_modules'))).toBe(false)
  })

  it('has a client that Node imports', () => {
    const script = `import('holdpoint/client').then((client) => console.log(Object.keys(client).sort().join()))`
    expect(run(process.execPath, ['-e', script], app).trim()).toBe(
      'TransportFault,createGatewayClient,createHttpTransport,onWake',
    )
  })

  it('has a client and components that a plain Vite app builds with', async () => {
    write('index.html', '<!doctype html><div id="root"></div><script type="module" src="/main.jsx"></script>')
    write(
      'main.jsx',
      `import 'holdpoint/react/styles.css'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { createGatewayClient, createHttpTransport } from 'holdpoint/client'
import { HoldpointProvider, LiveAskCard, useAsks } from 'holdpoint/react'
const client = createGatewayClient({ transport: createHttpTransport({ baseUrl: 'http://127.0.0.1:4680' }) })
const Asks = () => useAsks().map((ask) => createElement(LiveAskCard, { key: ask.id, askId: ask.id }))
createRoot(document.getElementById('root')).render(createElement(HoldpointProvider, { client }, createElement(Asks)))`,
    )
    await build({
      root: app,
      configFile: false,
      logLevel: 'error',
      build: { outDir: 'out', reportCompressedSize: false },
    })
    const built = readdirSync(join(app, 'out/assets'))
    expect(built.some((name) => name.endsWith('.css'))).toBe(true)
    expect(built.some((name) => name.endsWith('.js'))).toBe(true)
  })

  it('has types that hold by themselves: without zod, checked to the last file', () => {
    write(
      'use.tsx',
      `import { createGatewayClient, createHttpTransport, type Ask } from 'holdpoint/client'
import { HoldpointProvider, useAsks } from 'holdpoint/react'
const client = createGatewayClient({ transport: createHttpTransport() })
const title = (ask: Ask): string => ask.title
// @ts-expect-error: a number is no title, so titles are not just anything.
const wrong = (ask: Ask): number => ask.title
function Titles() { return <p>{useAsks().map(title).join()}{String(wrong)}</p> }
export const page = <HoldpointProvider client={client}><Titles /></HoldpointProvider>`,
    )
    const options = { strict: true, noEmit: true, skipLibCheck: false, jsx: 'react-jsx', types: [] }
    const target = { target: 'ES2023', module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM'] }
    write('tsconfig.json', JSON.stringify({ compilerOptions: { ...options, ...target }, files: ['use.tsx'] }))
    run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', app], app)
  })
})
