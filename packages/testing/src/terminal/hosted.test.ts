import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Role } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiClient } from '../api-client.ts'
import { type BuiltGateway, startBuiltGateway } from '../built-gateway.ts'
import { until } from '../until.ts'
import { startInTerminal } from './claude-tui.ts'
import { viewHosted } from './hosted-client.ts'

const CLI = fileURLToPath(new URL('../../../../dist/cli.js', import.meta.url))
const BASH = ['bash', '--norc', '--noprofile']
const ENV = { PATH: process.env.PATH ?? '', PS1: 'ready> ', LANG: 'C.UTF-8' }

let gateway: BuiltGateway
let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'hp-hosted-')))
  gateway = await startBuiltGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await rm(gateway.dataDir, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
})

/** The same data folder and token, another process. */
async function restart() {
  const { dataDir, token } = gateway
  await gateway.kill9()
  gateway = await startBuiltGateway({ dataDir, token })
}

const start = (program: readonly string[], more: Record<string, unknown> = {}) => {
  const [command, ...args] = program
  const body = { command, args, cwd: folder, cols: 80, rows: 24, env: ENV, ...more }
  return gateway.api.ok<Session>('POST', '/api/terminals', body)
}
const view = (sessionId: string, more: { cols?: number; rows?: number; token?: string } = {}) =>
  viewHosted({ url: gateway.url, token: gateway.token, sessionId, cols: 80, rows: 24, ...more })
const read = (id: string) => gateway.api.ok<Session>('GET', `/api/sessions/${id}`)

async function credential(role: Role) {
  const { code } = await gateway.api.ok<{ code: string }>('POST', '/api/pairings', { role })
  const body = { code, bearer: true, name: role }
  const { token } = await apiClient(gateway.url).ok<{ token: string }>('POST', '/api/login', body)
  return { token, api: apiClient(gateway.url, token) }
}

describe('a hosted terminal', () => {
  it('shows a program, takes what is typed, and tells its exit code, also to who comes too late', async () => {
    const { id } = await start(BASH)
    const one = await view(id)
    await one.waitFor('ready>')
    one.type('echo hello $((40 + 2)) from $PWD\r')
    await one.waitFor(`hello 42 from ${folder}`)
    expect(await read(id)).toMatchObject({
      state: 'assistant_turn',
      agent: 'terminal',
      title: 'bash --norc --noprofile',
    })
    one.type('exit 7\r')
    expect(await one.frame(({ type }) => type === 'exit')).toEqual({ type: 'exit', code: 7 })
    expect(await one.closed()).toBe(1000)
    await until(async () => (await read(id)).state === 'dead', 'the end')
    expect(await read(id)).toMatchObject({ endReason: 'exit-code-7' })
    const late = await view(id)
    expect(await late.frame(({ type }) => type === 'exit')).toEqual({ type: 'exit', code: 7 })
    await late.waitFor(`hello 42 from ${folder}`)
  })

  it('keeps the last screen with its session: written while no gateway ran, through kill -9, and until it is deleted', async () => {
    const ended = await start(['sh', '-c', 'printf "\\033[31mall is built\\033[0m"; exit 4'])
    await until(async () => (await read(ended.id)).state === 'dead', 'the end')
    const go = join(folder, 'go')
    const away = await start(['sh', '-c', `echo working; while [ ! -e ${go} ]; do sleep 0.05; done; echo done with it`])
    const before = await view(away.id)
    await before.waitFor('working')
    const { dataDir, token } = gateway
    await gateway.kill9()
    await writeFile(go, '')
    gateway = await startBuiltGateway({ dataDir, token })
    await until(async () => (await read(away.id)).state === 'dead', 'the end that nobody saw')
    await restart()
    const viewer = await credential('viewer')
    for (const [id, words] of [
      [ended.id, 'all is built'],
      [away.id, 'done with it'],
    ] as const) {
      const late = await view(id, { token: viewer.token })
      await late.waitFor(words)
      expect(await late.frame(({ type }) => type === 'screen')).toMatchObject({ cols: 80, rows: 24 })
      expect(await late.closed()).toBe(1000)
    }
    const raiser = await credential('raiser')
    await expect(view(ended.id, { token: raiser.token })).rejects.toThrow('status 403')
    await gateway.api.ok('DELETE', `/api/sessions/${ended.id}/content`)
    const gone = await view(ended.id)
    expect(await gone.frame(({ type }) => type === 'exit' || type === 'screen')).toMatchObject({ type: 'exit' })
  })

  it('shows the same screen to everybody, and gives it the size of who types', async () => {
    const { id } = await start(BASH)
    const [one, two] = [await view(id), await view(id, { cols: 50, rows: 12 })]
    await one.waitFor('ready>')
    one.type('stty size; printf "\\033[31mred\\033[0m \\342\\234\\223\\n"\r')
    await two.waitFor('24 80')
    await two.waitFor('red ✓')
    expect(two.screen()).toBe(one.screen())
    const three = await view(id)
    await three.waitFor('red ✓')
    expect(three.screen()).toBe(one.screen())
    one.close()
    await until(() => two.writer()?.busy === false, 'the keyboard to be free')
    two.type('clear; stty size\r')
    await two.waitFor('12 50')
    await three.frame(({ type, cols }) => type === 'screen' && cols === 50, 'the new size')
    await three.waitFor('12 50')
    expect(three.screen()).toBe(two.screen())
    for (const each of [two, three]) each.close()
    await gateway.api.ok('DELETE', `/api/sessions/${id}`)
    expect(await until(async () => (await read(id)).endReason, 'the end')).toBe('ended-by-person')
  })

  it('takes what is typed as soon as it was started', async () => {
    const { id } = await start(BASH)
    const body = { sessionID: id, input: 'echo $((40 + 2))\r' }
    expect(await gateway.api.call('POST', '/api/pty-input', body)).toMatchObject({ status: 202 })
    const one = await view(id)
    await one.waitFor(/^42$/m)
    one.close()
    await gateway.api.call('DELETE', `/api/sessions/${id}`)
  })

  it('has one writer at a time: the other is told, and refused', async () => {
    const { id } = await start(BASH)
    const [one, two] = [await view(id), await view(id)]
    await one.waitFor('ready>')
    one.type('echo fir')
    await until(() => two.writer()?.busy === true, 'the other to be told')
    expect(one.writer()).toEqual({ type: 'writer', you: true, busy: false })
    two.type('xxx')
    expect(await two.frame(({ type }) => type === 'error')).toMatchObject({ error: { code: 'busy' } })
    expect(await gateway.api.call('POST', '/api/pty-input', { sessionID: id, input: 'yyy' })).toMatchObject({
      status: 409,
      body: { error: { code: 'busy' } },
    })
    one.type('st\r')
    await two.waitFor(/^first$/m)
    // Who leaves gives it up.
    one.close()
    await until(() => two.writer()?.busy === false, 'the keyboard to be free')
    two.type('echo second\r')
    await two.waitFor(/^second$/m)
    two.close()
    const exit = { sessionID: id, input: 'exit 3\r' }
    await until(async () => (await gateway.api.call('POST', '/api/pty-input', exit)).status === 202, 'it to be typed')
    await until(async () => (await read(id)).endReason === 'exit-code-3', 'the end')
    const body = { sessionID: id, input: 'too late' }
    expect(await gateway.api.call('POST', '/api/pty-input', body)).toMatchObject({ status: 404 })
  })

  it('lets a viewer look and not type, and a raiser neither', async () => {
    const { id } = await start(BASH)
    const viewer = await credential('viewer')
    const one = await view(id, { token: viewer.token })
    await one.waitFor('ready>')
    one.type('echo no\r')
    expect(await one.frame(({ type }) => type === 'error')).toMatchObject({ error: { code: 'forbidden' } })
    const body = { sessionID: id, input: 'echo no\r' }
    expect(await viewer.api.call('POST', '/api/pty-input', body)).toMatchObject({ status: 403 })
    expect(
      await viewer.api.call('POST', '/api/terminals', { command: 'true', cwd: folder, cols: 80, rows: 24 }),
    ).toMatchObject({ status: 403 })
    const raiser = await credential('raiser')
    await expect(view(id, { token: raiser.token })).rejects.toThrow('status 403')
    await expect(view('ses_00000000000000000000000000')).rejects.toThrow('status 404')
    expect(one.screen()).not.toContain('no')
    one.close()
  })

  it('keeps the screen through a crash of the gateway, the alternate one too, and goes on', async () => {
    const { id } = await start(BASH)
    const before = await view(id)
    await before.waitFor('ready>')
    // Not in the words that are typed, which are on the screen before: what is waited for is what it prints.
    before.type(
      'printf "\\033[?1049h\\033[2J\\033[5;10Hdrawn by an %s" editor; read -r line; printf "\\033[?1049l"; echo "got $line"\r',
    )
    await before.waitFor('drawn by an editor')
    await restart()
    const after = await view(id)
    await after.waitFor('drawn by an editor')
    expect(after.screen()).toBe(before.screen())
    expect(await read(id)).toMatchObject({ state: 'assistant_turn' })
    after.type('it\r')
    await after.waitFor('got it')
    // Back on the first screen, where the command stands that was typed.
    expect(after.screen()).toMatch(/^ready> printf/)
    after.type('exit\r')
    expect(await after.frame(({ type }) => type === 'exit')).toEqual({ type: 'exit', code: 0 })
  })

  it('says plainly what cannot be run, and where nothing can', async () => {
    const { id } = await start(['no-such-program'])
    const one = await view(id)
    expect(await one.frame(({ type }) => type === 'exit')).toEqual({ type: 'exit', code: 127 })
    const nowhere = { command: 'true', cwd: join(folder, 'nowhere'), cols: 80, rows: 24 }
    expect(await gateway.api.call('POST', '/api/terminals', nowhere)).toMatchObject({ status: 422 })
  })
})

describe('holdpoint run', () => {
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    startInTerminal({
      program: process.execPath,
      args: [CLI, 'run', '--data', gateway.dataDir, ...args],
      cwd: folder,
      env: { ...ENV, HOME: folder, TERM: 'xterm-256color', HOLDPOINT_TOKEN: gateway.token, ...env },
      cols: 90,
      rows: 30,
    })

  it('shows the program here and elsewhere, and ends with its exit code', async () => {
    await using terminal = await run(['--title', 'My shell', '--', ...BASH], { GREETING: 'from my shell' })
    await terminal.waitFor('ready>')
    terminal.type('echo "$GREETING [$HOLDPOINT_TOKEN]"; stty size\r')
    await terminal.waitFor('from my shell []')
    await terminal.waitFor('30 90')
    const { sessions } = await gateway.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')
    const session = sessions.find(({ title }) => title === 'My shell')
    const one = await view(session?.id ?? '')
    await one.waitFor('from my shell []')
    terminal.resize(70, 20)
    await until(() => {
      terminal.type('clear; stty size\r')
      return one.screen().includes('20 70')
    }, 'the new size')
    terminal.type('exit 9\r')
    expect(await terminal.exit).toBe(9)
  })

  it('lets go and leaves the program running, finds it again, and stays through a crash of the gateway', async () => {
    await using first = await run(BASH)
    await first.waitFor('ready>')
    first.type('echo one\r')
    await first.waitFor(/^one$/m)
    first.type('\x1d')
    first.type('d')
    const shown = await first.waitFor(/--session ses_\w+$/m)
    expect(await first.exit).toBe(0)
    const id = /--session (ses_\w+)/.exec(shown.replaceAll('\n', ''))?.[1] ?? ''
    await using second = await run(['--session', id])
    await second.waitFor(/^one$/m)
    await restart()
    second.type('\r')
    await until(async () => {
      second.type('echo two\r')
      return /^two$/m.test(second.screen())
    }, 'the terminal to be back')
    second.type('exit 4\r')
    expect(await second.exit).toBe(4)
  })

  it('says what is missing', async () => {
    await using none = await run(['--data', join(folder, 'nowhere'), 'true'])
    await none.waitFor('No gateway is running for the data')
    expect(await none.exit).toBe(3)
    const piped = await gateway.command(['run', 'true'])
    expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('terminal') })
  })
})
