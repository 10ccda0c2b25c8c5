import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Session } from '@holdpoint/schema/session'
import { type BuiltGateway, startBuiltGateway } from '@holdpoint/testing/built-gateway'
import { startInTerminal } from '@holdpoint/testing/terminal/claude-tui'
import { viewHosted } from '@holdpoint/testing/terminal/hosted-client'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from './console/cli-error.ts'
import { watchForStop } from './stop-watch.ts'

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))
const BASH = ['bash', '--norc', '--noprofile']
const LEAVE = 'Press Ctrl-] and then d'

let gateway: BuiltGateway
let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'hp-run-')))
  gateway = await startBuiltGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await rm(gateway.dataDir, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
})

async function startAgain() {
  const { dataDir, token } = gateway
  gateway = await startBuiltGateway({ dataDir, token })
}

function run(args: readonly string[]) {
  const env = { PATH: process.env.PATH ?? '', PS1: 'ready> ', LANG: 'C.UTF-8', HOME: folder, TERM: 'xterm-256color' }
  return startInTerminal({
    program: process.execPath,
    args: [CLI, 'run', '--data', gateway.dataDir, ...args],
    cwd: folder,
    env: { ...env, HOLDPOINT_TOKEN: gateway.token },
    cols: 80,
    rows: 24,
  })
}

function lines(screen: string): string[] {
  return screen.split('\n').map((line) => line.trimEnd())
}

async function sessionsCalled(title: string): Promise<Session[]> {
  const { sessions } = await gateway.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')
  return sessions.filter((session) => session.title === title)
}

async function sessionOf(title: string): Promise<Session> {
  const [session] = await sessionsCalled(title)
  if (!session) throw new Error(`there is no session ${title}`)
  return session
}

describe('a run window', () => {
  it('says how to leave it until the program draws something, to nobody else', async () => {
    const script = 'until [ -e drawing ]; do sleep 0.05; done; echo drawn; read -r'
    await using terminal = await run(['--title', 'hinted', '--', 'bash', '-c', script])
    expect(lines(await terminal.waitFor(LEAVE))[0]).toContain(LEAVE)
    const { id: sessionId } = await until(async () => (await sessionsCalled('hinted'))[0], 'the session')
    await writeFile(join(folder, 'drawing'), '')
    const other = await viewHosted({ url: gateway.url, token: gateway.token, sessionId, cols: 80, rows: 24 })
    for (const screen of [await terminal.waitFor('drawn'), await other.waitFor('drawn')])
      expect(lines(screen).filter((line) => line !== '')).toEqual(['drawn'])
    other.close()
    terminal.type('\r')
    expect(await terminal.exit).toBe(0)
  })

  it('makes way for a program that draws nothing as soon as something is typed', async () => {
    await using terminal = await run(['--', 'bash', '-c', 'read -r words; echo heard; read -r words'])
    await terminal.waitFor(LEAVE)
    terminal.type('one\r')
    expect(lines(await terminal.waitFor('heard')).filter((line) => line !== '')).toEqual(['one', 'heard'])
    terminal.type('\r')
    expect(await terminal.exit).toBe(0)
  })

  it('loses nothing of a program that ends at once, in twelve runs', async () => {
    const screens = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const seen: string[] = []
        for (let n = 0; n < 3; n++) {
          await using short = await run(['echo', 'all of it'])
          expect(await short.exit).toBe(0)
          seen.push(short.screen().trim())
        }
        return seen
      }),
    )
    expect(screens.flat()).toEqual(Array.from({ length: 12 }, () => 'all of it'))
  })

  it('says that keys are lost while the gateway is away, and types none of them later', async () => {
    await using terminal = await run(BASH)
    await terminal.waitFor('ready>')
    terminal.type('echo before\r')
    await terminal.waitFor(/^before$/m)
    await gateway.kill9()
    await until(() => {
      terminal.type('lost')
      return terminal.screen().includes('keys are lost')
    }, 'the words')
    const said = await terminal.waitFor('Program still runs')
    expect(lines(said).at(-1)).toMatch(/^ Gateway unreachable, .*Ctrl-\] d leaves it\.$/)
    await startAgain()
    await terminal.waitForGone('Gateway unreachable')
    expect(terminal.screen()).not.toContain('lost')
    terminal.type('exit 3\r')
    expect(await terminal.exit).toBe(3)
  })

  it('shows what else runs, and says what it cannot show', async () => {
    await using terminal = await run(['--title', 'listed', '--', ...BASH])
    await terminal.waitFor('ready>')
    const { id } = await sessionOf('listed')
    const demo = await gateway.api.ok<Session>('POST', '/api/sessions', {
      agent: 'demo',
      title: 'A demo',
      prompt: 'Go',
    })
    expect(await gateway.command(['run', '--session'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^ID .*\\n${id.slice(-6)} +running \\d+s +terminal +- .*listed\\n$`)),
      stderr: expect.stringContaining('holdpoint run --session ID'),
    })
    await using wrong = await run(['--session', demo.id.slice(-6)])
    expect(await wrong.exit).toBe(EXIT.failure)
    await until(
      () => wrong.screen().includes('"A demo" (agent: demo) does not run in a Holdpoint terminal'),
      'the words',
    )
    await gateway.api.call('DELETE', `/api/sessions/${id}`)
    await terminal.exit
    await until(async () => (await gateway.command(['run', '--session'])).stdout === '', 'the end of the list')
  })

  it('ends when everything is stopped, and goes on when only the gateway is', async () => {
    await using terminal = await run(BASH)
    await terminal.waitFor('ready>')
    expect((await gateway.command(['stop'])).code).toBe(0)
    await terminal.waitFor('Program still runs')
    expect((await gateway.command(['stop', '--all'])).stderr).toContain('and the host')
    expect(await terminal.exit).toBe(EXIT.failure)
    // The last words of a program may be drawn after its end.
    await until(() => terminal.screen().includes('The gateway and all its programs were stopped'), 'the words')
  })
})

describe('the watch for a stop', () => {
  it('calls nothing stopped that it has not seen running', async () => {
    expect(await (await watchForStop({ url: ['http://127.0.0.1:1'] }))()).toBe('unknown')
    expect(await (await watchForStop({ data: join(folder, 'nowhere') }))()).toBe('unknown')
  })
})
