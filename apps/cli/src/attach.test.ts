import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALLOW, FakeGateway, reply } from '@holdpoint/agents/testing/fake-gateway'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { type CommandResult, runCommand } from '@holdpoint/testing/built-gateway'
import { startInTerminal } from '@holdpoint/testing/terminal/claude-tui'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EXIT } from './console/cli-error.ts'

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))
const MINE = '{\r\n\t"model": "opus",\r\n\t"hooks": {"Stop": [ ]}\r\n}'

let home: string
let data: string
let settings: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hp-attach-'))
  data = join(home, 'the data')
  settings = join(home, '.claude', 'settings.json')
  mkdirSync(join(home, '.claude'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** With a PATH that has no `claude` of this machine. */
function holdpoint(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  return runCommand(args, { home, env: { PATH: join(home, 'bin'), HOLDPOINT_DATA: data, ...env } })
}

describe('attach and detach', () => {
  it('put the hooks in and take them out, and leave everything as it was', async () => {
    writeFileSync(settings, MINE)
    chmodSync(settings, 0o644)
    const attached = await holdpoint(['attach', '--yes'])
    expect(attached).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Changes .*settings\.json:\n {2}adds {5}10 hooks of Holdpoint\n/),
    })
    expect(attached.stderr).toContain(`No gateway is running for the data folder ${data}`)
    expect(readFileSync(`${settings}.before-holdpoint`, 'utf8')).toBe(MINE)
    expect(statSync(`${settings}.before-holdpoint`).mode & 0o777).toBe(0o600)
    expect(statSync(settings).mode & 0o777).toBe(0o644)
    const { hooks } = JSON.parse(readFileSync(settings, 'utf8'))
    expect(hooks.PermissionRequest).toEqual([
      {
        matcher: '*',
        hooks: [{ type: 'command', command: expect.stringContaining("hook.sh' --data"), timeout: 86_400 }],
      },
    ])
    const before = { type: 'command', command: expect.stringContaining('--before'), timeout: 2_592_000 }
    expect(hooks.PreToolUse).toEqual([{ matcher: '*', hooks: [{ ...before, onFailure: 'block' }] }])

    const again = await holdpoint(['attach', '--yes'])
    expect(again).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('Already attached') })

    const detached = await holdpoint(['detach', '--yes'])
    expect(detached).toMatchObject({ code: 0, stderr: expect.stringContaining('Detached') })
    expect(readFileSync(settings, 'utf8')).toBe(MINE)
    expect(readdirSync(join(home, '.claude'))).toEqual(['settings.json'])
    expect(await holdpoint(['detach'])).toMatchObject({ code: 0, stderr: expect.stringContaining('Not attached') })
  })

  it('make a file where there is none, and none of it again', async () => {
    rmSync(join(home, '.claude'), { recursive: true })
    expect(await holdpoint(['attach', '--yes'])).toMatchObject({ code: 0 })
    expect(statSync(settings).mode & 0o777).toBe(0o600)
    expect(await holdpoint(['detach', '--yes'])).toMatchObject({ code: 0 })
    expect(existsSync(settings)).toBe(false)
  })

  it("keep to one project's own settings", async () => {
    const project = join(home, 'pro ject')
    mkdirSync(project)
    expect(await holdpoint(['attach', '--yes', '--project', project])).toMatchObject({ code: 0 })
    expect(existsSync(settings)).toBe(false)
    expect(readFileSync(join(project, '.claude/settings.local.json'), 'utf8')).toContain('hook.sh')
    expect(await holdpoint(['detach', '--yes', '--project', project])).toMatchObject({ code: 0 })
    expect(existsSync(join(project, '.claude/settings.local.json'))).toBe(false)
    const nowhere = await holdpoint(['attach', '--project', join(home, 'none')])
    expect(nowhere).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('There is no folder') })
  })

  it('change nothing without a yes', async () => {
    writeFileSync(settings, MINE)
    for (const command of ['attach', 'detach']) {
      const shown = await holdpoint([command, '--dry-run', '--yes'])
      expect(shown.code).toBe(0)
      expect(shown.stdout.split('\n').length).toBeLessThan(14)
      const whole = await holdpoint([command, '--dry-run', '--diff'])
      expect(whole.stdout.startsWith(shown.stdout)).toBe(true)
      expect(whole.stdout.slice(shown.stdout.length)).toMatch(
        /^--- .*\n\+\+\+ .*\n@@ [\s\S]*\n[+-]⇥"hooks": \{"Stop": \[/,
      )
      const refused = await holdpoint([command])
      if (command === 'attach') {
        expect(shown.stdout).toContain('PermissionRequest')
        expect(refused).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('--yes') })
        expect(readFileSync(settings, 'utf8')).toBe(MINE)
        expect(readdirSync(home)).toEqual(['.claude'])
        await holdpoint(['attach', '--yes'])
      } else {
        expect(refused.code).toBe(EXIT.usage)
        expect(readFileSync(settings, 'utf8')).toContain('hook.sh')
      }
    }
  })

  it('ask whoever sits at a terminal', async () => {
    writeFileSync(settings, MINE)
    const env = { PATH: join(home, 'bin'), HOME: home, HOLDPOINT_DATA: data, TERM: 'xterm' }
    const start = () => startInTerminal({ program: process.execPath, args: [CLI, 'attach'], cwd: home, env, rows: 200 })
    {
      await using terminal = await start()
      await terminal.waitFor('like this? [y/N')
      expect(terminal.screen()).not.toContain('"PermissionRequest"')
      terminal.type('d\r')
      await terminal.waitFor(/"PermissionRequest":[\s\S]*like this\? \[y\/N/)
      expect(readFileSync(settings, 'utf8')).toBe(MINE)
      terminal.type('\r')
      expect(await terminal.exit).toBe(EXIT.failure)
      expect(readFileSync(settings, 'utf8')).toBe(MINE)
    }
    await using terminal = await start()
    await terminal.waitFor('like this? [y/N')
    terminal.type('y\r')
    expect(await terminal.exit).toBe(0)
    expect(readFileSync(settings, 'utf8')).toContain('hook.sh')
  })

  it('leave a file alone that is not JSON', async () => {
    writeFileSync(settings, '{ "model": "opus", // mine\n}')
    for (const command of ['attach', 'detach']) {
      const { code, stderr } = await holdpoint([command, '--yes'])
      expect({ code, stderr }).toEqual({ code: EXIT.failure, stderr: expect.stringContaining('is not valid JSON') })
    }
    expect(readFileSync(settings, 'utf8')).toBe('{ "model": "opus", // mine\n}')
    expect(readdirSync(join(home, '.claude'))).toEqual(['settings.json'])
  })

  it('go over to another data folder, and status tells to which', async () => {
    writeFileSync(settings, MINE)
    await holdpoint(['attach', '--yes'])
    const other = join(home, "the other's")
    expect(await holdpoint(['attach', '--yes', '--data', other])).toMatchObject({ code: 0 })
    expect(readFileSync(settings, 'utf8')).not.toContain(data)
    const status = await holdpoint(['status', '--json'])
    expect(JSON.parse(status.stdout).terminals).toEqual({
      settings,
      attached: true,
      data: other,
      whenStopped: 'ask-here',
    })
    expect((await holdpoint(['status'])).stdout).toBe(`Terminals attached to the gateway on ${other}, by ${settings}\n`)
    // Without being told where the record is.
    expect(await holdpoint(['detach', '--yes'])).toMatchObject({ code: 0 })
    expect(readFileSync(settings, 'utf8')).toBe(MINE)
    expect(JSON.parse((await holdpoint(['status', '--json'])).stdout).terminals).toEqual({ settings, attached: false })
  })

  it('put their hooks in the place of those of an earlier time, and take out those as well', async () => {
    writeFileSync(settings, earlierSettings(data))
    expect((await holdpoint(['status', '--json'])).stdout).toContain(JSON.stringify(data))
    expect(await holdpoint(['attach', '--yes'])).toMatchObject({ code: 0 })
    const text = readFileSync(settings, 'utf8')
    expect(text).not.toContain('hook.js')
    expect(text.match(/: holdpoint;/g)).toHaveLength(10)
    expect(await holdpoint(['attach', '--yes'])).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('Already'),
    })
    writeFileSync(settings, earlierSettings(data))
    expect(await holdpoint(['detach', '--yes'])).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ model: 'opus' })
  })

  it('keep what is to become of calls without a gateway, until they are told otherwise', async () => {
    const stopped = async () => JSON.parse((await holdpoint(['status', '--json'])).stdout).terminals.whenStopped
    expect(await holdpoint(['attach', '--yes', '--when-stopped', 'deny'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/without a gateway\s+every\s+call\s+is\s+denied/),
    })
    expect(await holdpoint(['attach', '--yes'])).toMatchObject({ stderr: expect.stringContaining('Already attached') })
    expect(await stopped()).toBe('deny')
    // Of another version, with the same choice.
    writeFileSync(settings, readFileSync(settings, 'utf8').replaceAll('"timeout": 10', '"timeout": 11'))
    expect(await holdpoint(['attach', '--yes'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Changes') })
    expect(await stopped()).toBe('deny')
    expect(await holdpoint(['attach', '--yes', '--when-stopped', 'ask-here'])).toMatchObject({ code: 0 })
    expect(await stopped()).toBe('ask-here')
    expect((await holdpoint(['attach', '--when-stopped', 'allow'])).code).toBe(EXIT.usage)
  })

  it('say so when other hooks could answer for a person', async () => {
    const other = { hooks: [{ type: 'command', command: 'true' }] }
    writeFileSync(settings, JSON.stringify({ hooks: { PermissionRequest: [other], Stop: [other] } }))
    const { code, stderr } = await holdpoint(['attach', '--yes'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('other hooks that could answer for you (PermissionRequest)'),
    })
  })

  it('say so when the settings turn hooks off', async () => {
    writeFileSync(settings, '{"disableAllHooks": true}')
    const { code, stderr } = await holdpoint(['attach', '--yes'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('disableAllHooks') })
  })

  it('spare a Claude Code that would drop the whole file', async () => {
    mkdirSync(join(home, 'bin'))
    const claude = join(home, 'bin', 'claude')
    writeFileSync(claude, '#!/bin/sh\necho "2.1.100 (Claude Code)"\n', { mode: 0o755 })
    const { code, stderr } = await holdpoint(['attach', '--yes'])
    expect({ code, stderr }).toEqual({ code: EXIT.failure, stderr: expect.stringContaining('claude update') })
    expect(existsSync(settings)).toBe(false)
    writeFileSync(claude, '#!/bin/sh\necho "2.1.101 (Claude Code)"\n', { mode: 0o755 })
    expect(await holdpoint(['attach', '--yes'])).toMatchObject({ code: 0 })
  })
})

describe('what attach put in', () => {
  it('asks the gateway of that folder, and says what it says', async () => {
    await using gateway = await FakeGateway.start((call) => reply(call, 200, ALLOW))
    const attached = await holdpoint(['attach', '--yes', '--data', gateway.dataDir])
    expect(attached).toMatchObject({ code: 0 })
    const { hooks } = JSON.parse(readFileSync(settings, 'utf8'))
    const [command] = hooks.PermissionRequest[0].hooks.map((hook: { command: string }) => hook.command)
    const hook = { session_id: 's', hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {} }
    // Wherever the agent's programs come from.
    for (const path of [process.env.PATH, '/nowhere']) {
      gateway.calls.length = 0
      const child = spawn('/bin/sh', ['-c', command], {
        env: { NODE_OPTIONS: '--nonsense', PATH: path },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      child.stdin.end(JSON.stringify(hook))
      let said = ''
      for await (const chunk of child.stdout) said += chunk
      expect(JSON.parse(said)).toEqual(ALLOW)
      expect(JSON.parse(gateway.calls[0]?.body.toString() ?? '')).toEqual(hook)
      expect(gateway.calls[0]?.url.searchParams.get('parent')).toBe(String(process.pid))
    }
  })

  it('cannot ask a gateway that does not take its credential, and attach says so', async () => {
    await using gateway = await FakeGateway.start((call) => reply(call, 401, {}))
    await using _ = await holdFolder(gateway.dataDir)
    const attached = await holdpoint(['attach', '--yes', '--data', gateway.dataDir])
    expect(attached).toMatchObject({ code: 0, stderr: expect.stringContaining('revoked in the list of devices') })
  })

  it('cannot ask a gateway of an earlier time, and attach says so', async () => {
    await using _ = await holdFolder(data)
    const attached = await holdpoint(['attach', '--yes'])
    expect(attached).toMatchObject({ code: 0, stderr: expect.stringContaining('it is an older version') })
  })
})

/** As the first version of attach wrote them. */
function earlierSettings(folder: string): string {
  const command = `: holdpoint; case "$CLAUDE_CODE_ENTRYPOINT" in sdk-ts|sdk-py) exit 0;; esac; [ ! -S '${folder}/gateway.sock' ] || [ ! -x '/usr/bin/node' ] || [ ! -f '/opt/hook.js' ] || { unset NODE_OPTIONS; exec '/usr/bin/node' '/opt/hook.js' --data '${folder}' --parent "$PPID"; }`
  const follow = { hooks: [{ type: 'command', command, timeout: 10, async: true }] }
  const ask = { matcher: '*', hooks: [{ type: 'command', command, timeout: 86_400 }] }
  return JSON.stringify({ model: 'opus', hooks: { PermissionRequest: [ask], Stop: [follow], SessionEnd: [follow] } })
}

/** The lock of a gateway that runs. */
async function holdFolder(dataDir: string): Promise<AsyncDisposable> {
  const lock = await lockDataFolder(dataDir)
  lock.describe({ url: 'http://127.0.0.1:1', version: '0' })
  return { [Symbol.asyncDispose]: lock.release }
}
