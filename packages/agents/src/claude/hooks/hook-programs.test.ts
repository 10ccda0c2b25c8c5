import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LONG } from '@holdpoint/testing/long'
import { until } from '@holdpoint/testing/until'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runningProcesses } from '../../processes/processes.ts'
import { ALLOW, type Answer, FakeGateway, reply } from './fixtures/fake-gateway.ts'
import {
  type HookOptions,
  hookScriptWith,
  PROGRAMS,
  runHookProgram,
  SILENT,
  SYSTEM_PATH,
} from './fixtures/run-hook-program.ts'
import { credentialText, hookCredential, hookSocket } from './hook-access.ts'

const allow: Answer = (call) => reply(call, 200, ALLOW)
const ALLOWED = { ...SILENT, stdout: `${JSON.stringify(ALLOW)}\n` }
const breakOff: Answer = (call) => call.response.destroy()
const nothing: Answer = () => {}
const KINDS = [
  ['an ask', false],
  ['an event of its life', true],
] as const

/** Texts that a careless shell would change. */
const INPUTS: Readonly<Record<string, string>> = {
  'with no line end': '{"hook_event_name":"PermissionRequest"}',
  'with line ends': '\n{ "hook_event_name":\t"Stop", "n": 12345678901234567890.10, "n": 2 }\r\n\n\n',
  'of all kinds of letters':
    '{"t":"é 日本語 🦄 \u2028 \u00a0 \\ud83d \\u0000 %s %n $HOME `id` $(id) \\\\n * \'\\"-n @x"}.',
  'that is none': '',
}
/** What only tells of its life has 300 ms for all of it, which a busy machine may need. */
const LARGE = { 'of five megabytes': `{"t":"${'日本🦄%s\\\\ $x '.repeat(250_000)}"}\n` }

describe.each(PROGRAMS)('the hook, by $name', (program) => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hp-none-'))
  })
  afterEach(() => {
    chmodSync(folder, 0o700)
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (gateway: { dataDir: string }, options: Partial<HookOptions> = {}) =>
    runHookProgram(program, { dataDir: gateway.dataDir, ...options })

  describe.each(KINDS)('with %s', (_kind, isLife) => {
    it.each(Object.entries(isLife ? INPUTS : { ...INPUTS, ...LARGE }))(
      'hands on input %s, byte for byte (I6)',
      async (_name, input) => {
        await using gateway = await FakeGateway.start((call) => reply(call, 204))
        const { child, ended } = run(gateway, { input, isLife, parent: 4711 })
        expect(await ended).toEqual(SILENT)
        const [call] = gateway.calls
        expect(call?.body.equals(Buffer.from(input))).toBe(true)
        expect(call?.url.pathname).toBe('/hook')
        expect(Object.fromEntries(call?.url.searchParams ?? [])).toEqual({
          pid: String(child.pid),
          parent: '4711',
          ...(!isLife && { request: expect.stringMatching(/^[A-Za-z0-9-]{8,64}$/) }),
        })
        expect(call?.headers).toMatchObject({
          host: 'holdpoint',
          authorization: 'Bearer a-raiser',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(input)),
        })
        expect(gateway.calls).toHaveLength(1)
      },
    )

    it('says nothing when there is no gateway, however it is gone', async () => {
      const dataDir = join(folder, 'data')
      const silently = async () => expect(await run({ dataDir }, { isLife }).ended).toEqual(SILENT)
      await silently()
      mkdirSync(dataDir)
      await silently()
      writeFileSync(hookCredential(dataDir), credentialText('x'))
      await silently()
      writeFileSync(hookSocket(dataDir), 'not a socket')
      await silently()
      rmSync(hookSocket(dataDir))
      await using listener = await startListener(dataDir)
      await listener.fill()
      await silently()
      await listener.kill()
      await silently()
      chmodSync(folder, 0o000)
      await silently()
    })

    it.each([302, 401, 422])('is dropped at once after status %i (I4)', async (status) => {
      await using gateway = await FakeGateway.start((call) => {
        call.response.setHeader('location', 'http://holdpoint/hook')
        reply(call, status, ALLOW)
      })
      expect(await run(gateway, { isLife }).ended).toEqual(SILENT)
      expect(gateway.calls).toHaveLength(1)
    })

    it('says nothing without a credential', async () => {
      await using gateway = await FakeGateway.start((call) =>
        reply(call, call.headers.authorization ? 200 : 401, ALLOW),
      )
      rmSync(hookCredential(gateway.dataDir))
      expect(await run(gateway, { isLife }).ended).toEqual(SILENT)
    })
  })

  it('prints what the gateway says, and nothing else', async () => {
    await using gateway = await FakeGateway.start(allow)
    expect(await run(gateway).ended).toEqual(ALLOWED)
  })

  it('prints a long answer whole', async () => {
    const output = { ...ALLOW, systemMessage: '日本🦄 \\ %s'.repeat(200_000) }
    await using gateway = await FakeGateway.start((call) => reply(call, 200, output))
    const { stdout, ...rest } = await run(gateway).ended
    expect(JSON.parse(stdout)).toEqual(output)
    expect(rest).toMatchObject({ code: 0, stderr: '' })
  })

  it('prints nothing of an answer that is too long', async () => {
    await using gateway = await FakeGateway.start((call) => call.response.end(Buffer.alloc(32 * 1024 * 1024 + 1, 0x20)))
    expect(await run(gateway).ended).toEqual(SILENT)
    expect(gateway.calls).toHaveLength(1)
  })

  it('ends well when nobody reads what it prints', async () => {
    await using gateway = await FakeGateway.start(nothing)
    const { child, ended } = run(gateway)
    const call = await until(() => gateway.calls[0], 'the call')
    child.stdout?.destroy()
    reply(call, 200, { ...ALLOW, systemMessage: 'x'.repeat(300_000) })
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  it('prints nothing of an answer that breaks off, and asks again with the same id (I4, I5)', async () => {
    const text = JSON.stringify(ALLOW)
    await using gateway = await FakeGateway.start((call, nth) => {
      if (nth > 2) return reply(call, 200, ALLOW)
      call.response.writeHead(200, nth === 1 ? { 'content-length': text.length + 1 } : {})
      call.response.write(text, () => call.response.destroy())
    })
    expect(await run(gateway, { input: '{"a":1}\n' }).ended).toEqual(ALLOWED)
    expect(gateway.calls.map(({ body }) => body.toString())).toEqual(Array(3).fill('{"a":1}\n'))
    expect(new Set(gateway.calls.map(({ request }) => request)).size).toBe(1)
  })

  it.each([
    [409, 500],
    [429, 503],
  ])('asks again after status %i and after %i', async (...statuses) => {
    await using gateway = await FakeGateway.start((call, nth) => reply(call, statuses[nth - 1] ?? 200, ALLOW))
    expect(await run(gateway).ended).toEqual(ALLOWED)
    expect(gateway.calls).toHaveLength(3)
  })

  it('waits for a gateway that dies while it waits, and is the same ask to the next one (I5)', async () => {
    await using gateway = await FakeGateway.start(nothing)
    const { ended } = run(gateway)
    const first = await until(() => gateway.calls[0], 'the call')
    await gateway.stop()
    // The owner may have given the terminals another credential meanwhile.
    writeFileSync(hookCredential(gateway.dataDir), credentialText('another'))
    // Long enough for a try that finds nobody.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await gateway.start(allow)
    expect(await ended).toEqual(ALLOWED)
    expect(gateway.calls[1]).toMatchObject({ request: first.request, headers: { authorization: 'Bearer another' } })
  })

  it('does not wait for the gateway when nobody is left to be told', async () => {
    await using gateway = await FakeGateway.start(breakOff)
    const gone = spawn('true')
    await once(gone, 'exit')
    expect(await run(gateway, { parent: gone.pid ?? 0 }).ended).toEqual(SILENT)
    expect(gateway.calls).toHaveLength(1)
  })

  it.runIf(LONG)('gives up on a gateway that stays away', { timeout: 40_000 }, async () => {
    await using gateway = await FakeGateway.start((call) => {
      call.response.destroy()
      void gateway.stop()
    })
    expect(await run(gateway).ended).toEqual(SILENT)
  })

  describe('before a call', () => {
    const before = '{"said":"where there is no gateway"}'
    const SAID = { ...SILENT, stdout: `${before}\n` }

    it('prints what the gateway says', async () => {
      await using gateway = await FakeGateway.start(allow)
      expect(await run(gateway, { before }).ended).toEqual(ALLOWED)
    })

    it('prints what it was given where no gateway hears of the call', async () => {
      expect(await run({ dataDir: join(folder, 'none') }, { before }).ended).toEqual(SAID)
      // An older gateway, and one that has revoked the credential.
      for (const status of [204, 401, 422]) {
        await using gateway = await FakeGateway.start((call) => reply(call, status))
        expect(await run(gateway, { before }).ended).toEqual(SAID)
      }
    })

    it('T65 is a no where a gateway has heard of the call and is gone (I4)', async () => {
      await using gateway = await FakeGateway.start((call, nth) =>
        nth === 1 ? call.response.destroy() : reply(call, 401),
      )
      const { stdout, ...rest } = await run(gateway, { before }).ended
      expect(rest).toEqual({ code: 0, signal: null, stderr: '' })
      expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('Nobody refused it'),
      })
    })

    it.each([400, 413])('T65 is a no where the gateway cannot read the call (%i)', async (status) => {
      await using gateway = await FakeGateway.start((call) => reply(call, status, { error: {} }))
      const { stdout, ...rest } = await run(gateway, { before }).ended
      expect(rest).toEqual({ code: 0, signal: null, stderr: '' })
      expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('cannot read this call'),
      })
      expect(gateway.calls).toHaveLength(1)
    })

    it('T65 is never silent and well when it is ended: that would let the call through', async () => {
      await using gateway = await FakeGateway.start(nothing)
      const { child, ended } = run(gateway, { before })
      await until(() => gateway.calls[0], 'the call')
      process.kill(-(child.pid ?? 0), 'SIGTERM')
      const { code, stdout } = await ended
      expect(stdout).toBe('')
      expect(code).not.toBe(0)
    })
  })

  it.each([
    ['has no reply', nothing],
    ['is told off', (call) => reply(call, 503)],
    ['is broken off', breakOff],
    ['is told something', allow],
  ] satisfies [string, Answer][])('tells of its life once, when it %s', async (_name, answer) => {
    await using gateway = await FakeGateway.start(answer)
    expect(await run(gateway, { isLife: true }).ended).toEqual(SILENT)
    expect(gateway.calls).toHaveLength(1)
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)('leaves nothing behind after %s', async (signal) => {
    await using gateway = await FakeGateway.start(nothing)
    const { child, ended } = run(gateway)
    const call = await until(() => gateway.calls[0], 'the call')
    const closed = once(call.response, 'close')
    process.kill(-(child.pid ?? 0), signal)
    expect(await ended).toMatchObject({ stdout: '', stderr: '' })
    await closed
    await until(async () => (await groupOf(child.pid)).length === 0, 'all of it to end')
  })

  it('[T54] shows its credential in no list of processes', async () => {
    await using gateway = await FakeGateway.start(nothing)
    const { child, ended } = run(gateway)
    const call = await until(() => gateway.calls[0], 'the call')
    const lines = (await groupOf(child.pid)).map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    expect(lines.join()).toContain(gateway.dataDir)
    expect(lines.join()).not.toContain('a-raiser')
    reply(call, 204)
    await ended
  })

  it("heeds nothing that is meant for other people's calls", async () => {
    await using gateway = await FakeGateway.start(allow)
    const lines = ['output = /dev/null', 'proxy = "http://127.0.0.1:1"', 'user-agent = "mine"', 'max-time = 0.001']
    writeFileSync(join(folder, '.curlrc'), lines.join('\n'))
    writeFileSync(join(folder, '.netrc'), 'default login me password mine\n')
    const proxy = 'http://127.0.0.1:1'
    const env = {
      ...{ HOME: folder, CURL_HOME: folder, XDG_CONFIG_HOME: folder, NETRC: join(folder, '.netrc') },
      ...{ http_proxy: proxy, HTTP_PROXY: proxy, all_proxy: proxy, ALL_PROXY: proxy, NO_PROXY: '', no_proxy: '' },
      ...{ NODE_OPTIONS: '--nonsense', 'BASH_FUNC_curl%%': '() { echo mine; }', IFS: '/', LC_ALL: 'C.UTF-8' },
    }
    expect(await run(gateway, { env, input: '{"ä":1}' }).ended).toEqual(ALLOWED)
    expect(gateway.calls[0]?.headers).toMatchObject({ authorization: 'Bearer a-raiser' })
    expect(gateway.calls[0]?.headers['user-agent'] ?? '').not.toContain('mine')
    expect(await run(gateway, { env, isLife: true }).ended).toEqual(SILENT)
    expect(gateway.calls).toHaveLength(2)
  })
})

describe.each(PROGRAMS.filter(({ name }) => name.startsWith('curl')))('the pauses, by $name', (program) => {
  it.each([
    ['stays away', (gateway: FakeGateway) => void gateway.stop()],
    ['only ever breaks off', () => {}],
  ])('are fifteen seconds at most, when the gateway %s', async (_name, then) => {
    await using gateway = await FakeGateway.start((call) => {
      call.response.destroy()
      then(gateway)
    })
    // A sleep that takes no time, and a list of how long it would have been.
    const bin = join(gateway.dataDir, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'sleep'), `#!/bin/sh\necho "$1" >>'${bin}/pauses'\n`, { mode: 0o755 })
    const quick = { ...program, script: hookScriptWith(`${bin}:${SYSTEM_PATH}`) }
    expect(await runHookProgram(quick, { dataDir: gateway.dataDir }).ended).toEqual(SILENT)
    const pauses = readFileSync(join(bin, 'pauses'), 'utf8').trim().split('\n').map(Number)
    const sum = pauses.reduce((total, pause) => total + pause, 0)
    expect(sum).toBeGreaterThan(12)
    expect(sum).toBeLessThan(15)
  })
})

it.each(['/bin/sh', '/bin/bash'].filter((shell) => existsSync(shell)))(
  'says nothing in %s where there is neither curl nor Node any more',
  (shell) => {
    const words = ['--data', '/nowhere', '--node', '/nowhere/node', '--parent', String(process.pid)]
    const ended = spawnSync(shell, [hookScriptWith('/nowhere'), ...words], { encoding: 'utf8' })
    expect(ended).toMatchObject({ status: 0, stdout: '', stderr: '' })
  },
)

describe.each(PROGRAMS)('T66 by $name', (program) => {
  /** A project as an agent can make it: with programs of its own, in every folder that PATH may name. */
  const DIRS = ['.', 'bin', 'node_modules/.bin', 'a folder']
  const NAMES = ['cat', 'curl', 'date', 'echo', 'kill', 'node', 'printf', 'sh', 'sleep', 'env']
  let cwd: string
  beforeEach(() => {
    cwd = mkdtempSync(join(tmpdir(), 'hp-project-'))
    for (const folder of DIRS) mkdirSync(join(cwd, folder), { recursive: true })
    const script = `#!/bin/sh\n: >'${cwd}/ran'\necho '${JSON.stringify(ALLOW)}200'\n`
    for (const folder of DIRS) for (const name of NAMES) writeFileSync(join(cwd, folder, name), script, { mode: 0o755 })
    symlinkSync(join(cwd, 'bin'), join(cwd, 'link'))
  })
  afterEach(() => rmSync(cwd, { recursive: true }))

  it.each([
    'CWD/node_modules/.bin:/usr/bin:/bin',
    'CWD/bin',
    'CWD/a folder:/usr/bin:/bin',
    'CWD/link:/usr/bin:/bin',
    '/usr/../CWD/bin:/usr/bin:/bin',
    '/usr/local/bin:CWD/bin:/usr/bin:/bin',
    '.:/usr/bin:/bin',
    ':/usr/bin:/bin',
    '/nowhere::/usr/bin:/bin',
    'bin:/usr/bin:/bin',
    './bin:/usr/bin:/bin',
    '',
  ])('runs nothing that PATH=%s finds first', async (path) => {
    await using gateway = await FakeGateway.start((call) => reply(call, 204))
    const env = { PATH: path.replaceAll('CWD', cwd) }
    const { ended } = runHookProgram(program, { dataDir: gateway.dataDir, env, cwd })
    expect(await ended).toEqual(SILENT)
    expect(gateway.calls).toHaveLength(1)
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })

  it('runs no function of the environment, and nothing of Node’s that is set there', async () => {
    await using gateway = await FakeGateway.start((call) => reply(call, 204))
    const functions = NAMES.map((name) => [`BASH_FUNC_${name}%%`, `() { : >'${cwd}/ran'; }`])
    const env = {
      ...Object.fromEntries(functions),
      NODE_OPTIONS: `--require ${cwd}/bin/cat`,
      NODE_PATH: cwd,
      ENV: `${cwd}/bin/cat`,
    }
    expect(await runHookProgram(program, { dataDir: gateway.dataDir, env, cwd }).ended).toEqual(SILENT)
    expect(gateway.calls).toHaveLength(1)
    expect(existsSync(join(cwd, 'ran'))).toBe(false)
  })
})

async function groupOf(pid: number | undefined) {
  return (await runningProcesses())?.filter(({ group }) => group === pid) ?? []
}

/** A process that listens and takes nobody in. */
async function startListener(dataDir: string) {
  const script = `require('net').createServer().listen({ path: process.argv[1], backlog: 1 }, () => {
    require('fs').writeSync(1, 'up')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`
  const child = spawn(process.execPath, ['-e', script, hookSocket(dataDir)], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const gone = once(child, 'exit')
  const waiting: ReturnType<typeof connect>[] = []
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  return {
    kill,
    /** Until nobody more can even wait. */
    async fill() {
      for (;;) {
        const socket = connect(hookSocket(dataDir))
        waiting.push(socket)
        const isFull = await new Promise((resolve) => {
          socket.on('connect', () => resolve(false)).on('error', () => resolve(true))
        })
        if (isFull) return
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of waiting) socket.destroy()
      await kill()
    },
  }
}
