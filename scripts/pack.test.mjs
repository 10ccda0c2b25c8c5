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
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { createPrograms } from '@holdpoint/testing/embedding-programs'
import { until } from '@holdpoint/testing/until'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makePackage } from './make-package.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

// Vite's build sets it for the whole process, in which other test files run after this one.
const { NODE_ENV } = process.env
afterAll(() => {
  process.env.NODE_ENV = NODE_ENV
})

describe('the package', () => {
  let folder
  let archive
  let app

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-pack-')))
    archive = await makePackage(folder)
    // What is in the archive, where npm puts it (npx below is who installs it); its dependencies, and what a user has beside it.
    app = join(folder, 'app')
    const installed = join(app, 'node_modules/holdpoint')
    mkdirSync(installed, { recursive: true })
    write('package.json', JSON.stringify({ private: true, type: 'module' }))
    run('tar', ['-xzf', archive, '-C', installed, '--strip-components=1'], folder)
    const own = Object.keys(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).dependencies)
    const beside = ['react', 'react-dom', 'scheduler', 'vite', '@types', '@anthropic-ai']
    for (const name of new Set([...own.map((dependency) => dependency.split('/')[0]), ...beside]))
      symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name))
  }, 180_000)
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

  it('holds no maps, no tests, no gallery, no code of the agent’s vendor, and installs two dependencies', () => {
    const files = readdirSync(join(folder, 'package'), { recursive: true })
    expect(files.filter((name) => /\.map$|\.test\.|gallery|testing|\.stamp$/.test(name))).toEqual([])
    const { dependencies, scripts } = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
    expect(Object.keys(dependencies)).toEqual(['node-sqlite3-wasm', '@lydell/node-pty'])
    expect(scripts).toBeUndefined()
    const notices = readFileSync(join(folder, 'package/THIRD-PARTY.md'), 'utf8')
    for (const name of ['zod', 'ws', 'commander', 'react', 'lucide-react']) expect(notices, name).toContain(name)
    expect(notices).not.toContain('@anthropic-ai/')
    for (const name of files.filter((path) => path.endsWith('.js')))
      expect(readFileSync(join(folder, 'package', name), 'utf8'), name).not.toMatch(/Anthropic PBC|from ?"@holdpoint\//)
  })

  /** The program that holds a terminal is there, and so is what it needs of the platform. */
  async function hostsTerminals(url, token) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ command: 'sh', args: ['-c', 'exit 7'], cwd: folder, cols: 80, rows: 24 })
    const { id } = await (await fetch(`${url}/api/terminals`, { method: 'POST', headers, body })).json()
    const read = async () => (await fetch(`${url}/api/sessions/${id}`, { headers })).json()
    await until(async () => (await read()).state === 'dead', 'the program to end', 20_000)
    expect(await read()).toMatchObject({ endReason: 'exit-code-7' })
  }

  /** As a script on another machine does, with nothing but the package and a token that can only ask. */
  async function asksFromElsewhere(url, token, cwd) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const post = async (path, body) =>
      (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
    const { code } = await post('/api/pairings', { role: 'raiser' })
    const { token: raiser } = await post('/api/login', { code, bearer: true, name: 'CI' })
    const args = [
      '--yes',
      `--package=./${basename(archive)}`,
      'holdpoint',
      'ask',
      'Deploy?',
      '--option',
      'yes',
      '--url',
      url,
    ]
    const child = spawn('npx', args, { cwd, env: { ...environment(), HOLDPOINT_TOKEN: raiser } })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    const exited = new Promise((resolve) => child.on('close', resolve))
    let ask
    await until(
      async () => {
        ask = (await (await fetch(`${url}/api/asks`, { headers })).json()).asks[0]
        return ask !== undefined
      },
      'the ask',
      40_000,
    )
    const answers = [{ question: 0, selected: ['yes'] }]
    await post(`/api/asks/${ask.id}/answer`, { kind: 'answer', digest: ask.digest, answers })
    expect([await exited, output]).toEqual([0, 'yes\n'])
  }

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
      const url = /^Holdpoint is ready: (http:\/\/127\.0\.0\.1:\d+)\/login\/[\w-]{11}#login=/.exec(output)?.[1]
      expect(url, output + errors).toBeDefined()
      const page = await (await fetch(url)).text()
      const [script] = /\/assets\/[\w-]{22}\/[\w-]+\.js/.exec(page) ?? []
      expect(script, page).toBeDefined()
      expect((await fetch(url + script)).headers.get('content-type')).toContain('javascript')
      const me = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${token}` } })
      expect(await me.json()).toMatchObject({ agents: ['claude', 'demo'] })
      await hostsTerminals(url, token)
      await asksFromElsewhere(url, token, empty)
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
      'TransportFault,createGatewayClient,createHttpTransport,onWake,ticketed',
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

  it('has styles that, built into a page, change nothing of it', async () => {
    const browser = await launchChromium()
    try {
      const context = await browser.newContext({ colorScheme: 'dark', reducedMotion: 'reduce' })
      const page = await context.newPage()
      const [name] = readdirSync(join(app, 'out/assets')).filter((file) => file.endsWith('.css'))
      const styles = readFileSync(join(app, 'out/assets', name), 'utf8')
      const looks = async (css, theme) => {
        await page.setContent(`<!doctype html><html data-theme="${theme}"><style>${css}</style>
<p style="transition: opacity 1s; scroll-behavior: smooth">theirs</p>
<div class="hp-surface"><button class="bg-card transition-colors motion-reduce:transition-none">ours</button></div></html>`)
        return page.evaluate(() => {
          const root = getComputedStyle(document.documentElement).colorScheme
          const { transition, scrollBehavior } = getComputedStyle(document.querySelector('p'))
          const { backgroundColor, transitionProperty, colorScheme } = getComputedStyle(
            document.querySelector('button'),
          )
          return {
            theirs: { root, transition, scrollBehavior },
            ours: [backgroundColor, transitionProperty, colorScheme],
          }
        })
      }
      const { theirs } = await looks('', '')
      for (const [theme, ground, scheme] of [
        ['', 'rgb(22, 26, 33)', 'light dark'],
        ['dark', 'rgb(22, 26, 33)', 'dark'],
        ['light', 'rgb(255, 255, 255)', 'light'],
      ]) {
        expect(await looks(styles, theme)).toEqual({ theirs, ours: [ground, 'none', scheme] })
      }
    } finally {
      await browser.close()
    }
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

  it('has an embedding whose parts fit the options of the SDK', () => {
    write(
      'embed.ts',
      `import { query } from '@anthropic-ai/claude-agent-sdk'
import { createGatewayClient } from 'holdpoint/client'
import { createHoldpoint, EmbedError, type SessionId } from 'holdpoint/embed'
const holdpoint = await createHoldpoint({ data: 'data' })
const session = holdpoint.session({ cwd: '.' })
const own = async () => ({})
const hooks = { ...session.hooks, Stop: [...session.hooks.Stop, { hooks: [own] }] }
export const running = session.attach(query({ prompt: 'go', options: { ...session.options, hooks } }))
export const client = createGatewayClient({ transport: holdpoint.transport() })
export const again = (id: SessionId) => holdpoint.session({ resume: id }).vendorSessionId
export const code = (error: EmbedError) => error.code
// @ts-expect-error: a session is new, with a folder, or taken up again.
holdpoint.session({ agent: 'claude' })`,
    )
    const options = { strict: true, noEmit: true, skipLibCheck: true, types: ['node'] }
    const target = { target: 'ES2023', module: 'ESNext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM'] }
    write('tsconfig.embed.json', JSON.stringify({ compilerOptions: { ...options, ...target }, files: ['embed.ts'] }))
    run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(app, 'tsconfig.embed.json')], app)
  })

  describe('embedded in a program that runs the real Claude Code', () => {
    let browser
    let programs

    beforeAll(async () => {
      for (const name of ['three-lines.mjs', 'direct-transport.mjs'])
        cpSync(join(ROOT, 'examples/embed', name), join(app, name))
      browser = await launchChromium()
    })
    beforeEach(() => {
      programs = createPrograms({ app, script: steps(['one', 'two'].map((name) => shell(`echo ran >> ${name}.txt`))) })
    })
    afterEach(async () => (await programs).close())
    afterAll(() => browser.close())

    const shell = (command) => use('Bash', { command })

    it('is what the guide shows', () => {
      const code = readFileSync(join(app, 'three-lines.mjs'), 'utf8').replace(/^(\/\/.*\n)+/, '')
      expect(readFileSync(join(ROOT, 'docs/guides/embedding.md'), 'utf8')).toContain(code)
    })

    it('three lines: answered from a browser; the program ends by itself, though the browser stays', async () => {
      const { start, file } = await programs
      const program = await start('three-lines.mjs', ['Make two files.'])
      const page = await (await browser.newContext()).newPage()
      await page.goto(await program.link())
      await press(page.locator('[data-ask-id]').first(), 'Allow once')
      await until(() => file('one.txt') === 'ran\n', 'the first command')
      await press(page.locator('[data-ask-id]', { hasText: 'two.txt' }).first(), 'Allow once')
      expect(await program.exited, program.output()).toBe(0)
      expect(program.output()).toContain('done')
      expect(file('two.txt')).toBe('ran\n')
      await page.context().close()

      const { sessions, asks, chain } = await (await programs).record('.three-lines')
      expect(sessions).toMatchObject([
        { embedded: true, state: 'dead', endReason: 'ended-by-program', openAsks: 0, epoch: 1 },
      ])
      const told = { outcome: { kind: 'allowed', via: 'web', by: { role: 'owner' } }, delivered: true }
      expect(asks).toMatchObject([told, told])
      expect(chain.fault).toBeUndefined()
    })

    it('three lines: killed in the middle of an ask, the next run finds it as the guide says', async () => {
      const { start, file, model, record } = await programs
      const first = await start('three-lines.mjs', ['Make two files.'])
      const api = await first.api()
      const [allowed] = await api.asks(1)
      await api.answer(allowed, { kind: 'allow' })
      await until(() => file('one.txt') === 'ran\n', 'the first command')
      const [open] = await until(async () => {
        const asks = await api.asks(1)
        return asks[0].id !== allowed.id && asks
      }, 'the second ask')

      // Two programs on one folder: the second is told so, and the first goes on.
      const second = await start('three-lines.mjs', ['Make two files.'])
      expect(await second.exited).not.toBe(0)
      expect(second.output()).toContain(`Another Holdpoint (process ${first.pid}`)
      expect((await api.asks(1))[0].id).toBe(open.id)

      first.kill('SIGKILL')
      await first.exited
      // The agent has lost its program: it tells the model so, once, and goes.
      await until(() => JSON.stringify(model.requests.at(-1)).includes('stream closed'), 'the last words of the agent')

      const next = await start('three-lines.mjs', ['Make two files.'])
      const after = await next.api()
      await after.asks(1)
      const { sessions } = await after.get('/api/sessions?state=dead')
      expect(sessions).toMatchObject([
        { id: open.sessionId, embedded: true, endReason: 'agent-gone', error: { code: 'agent-gone' }, openAsks: 0 },
      ])
      expect((await after.get(`/api/asks/${open.id}`)).outcome).toMatchObject({ kind: 'withdrawn', reason: 'orphaned' })
      expect((await after.get(`/api/asks/${allowed.id}`)).outcome).toMatchObject({ kind: 'allowed' })
      expect(await after.answer(open, { kind: 'allow' })).toBe(409)
      expect(file('two.txt')).toBeUndefined()
      next.kill('SIGKILL')
      await next.exited

      // Its program takes it up again: the same session, the next life, the agent's own memory.
      write(
        'go-on.mjs',
        `import { homedir } from 'node:os'
import { join } from 'node:path'
import { query } from '@anthropic-ai/claude-agent-sdk'
import { createHoldpoint } from 'holdpoint/embed'
const holdpoint = await createHoldpoint({ data: join(homedir(), '.three-lines') })
process.stdout.write(\`Answer here: \${(await holdpoint.listen({ port: 0 })).loginLink}\\n\`)
const session = holdpoint.session({ resume: process.argv[2] })
await session.ready
const options = { settingSources: [], permissionMode: 'default', ...session.options, resume: session.vendorSessionId }
for await (const message of query({ prompt: 'Go on.', options }));
`,
      )
      const resumed = await start('go-on.mjs', [open.sessionId])
      const again = await resumed.api()
      for (const name of ['one', 'two']) {
        const ask = await until(
          async () => (await again.asks(1)).find(({ context }) => context.command.includes(name)),
          `the ask for ${name}`,
        )
        expect(ask).toMatchObject({ sessionId: open.sessionId, epoch: 2 })
        expect(ask.id).not.toBe(open.id)
        await again.answer(ask, { kind: 'allow' })
      }
      expect(await resumed.exited, resumed.output()).toBe(0)
      expect(file('one.txt')).toBe('ran\nran\n')
      expect(file('two.txt')).toBe('ran\n')
      expect(JSON.stringify(model.requests.at(-1))).toContain('Make two files.')
      expect((await record('.three-lines')).chain.fault).toBeUndefined()
    }, 120_000)

    it('without a web server: it answers in its own terminal', async () => {
      const { start, file, record } = await programs
      const program = await start('direct-transport.mjs', ['Make two files.'])
      for (const [name, reply] of [
        ['one', 'yes'],
        ['two', 'no'],
      ]) {
        await until(() => program.output().includes(`${name}.txt"\n}\nAllow?`), `the question about ${name}`)
        program.type(`${reply}\n`)
      }
      expect(await program.exited, program.output()).toBe(0)
      expect(file('one.txt')).toBe('ran\n')
      expect(file('two.txt')).toBeUndefined()
      const { asks } = await record('.direct-transport')
      expect(asks).toMatchObject([
        { outcome: { kind: 'allowed', by: { name: 'The program itself' } } },
        { outcome: { kind: 'denied' } },
      ])
    })
  })
})
