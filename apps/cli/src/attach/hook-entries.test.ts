import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hookSocket } from '@holdpoint/agents/claude/hooks/hook-access'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolderIn, type HookProgram, hookCommand, isOurs, wantedHooks } from './hook-entries.ts'

const NASTY = `a 'b' "c" $HOME \`d\` \\e #;&|`

describe('the command', () => {
  let root: string
  let program: HookProgram
  let gateway: Server

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'hp-sh-'))
    const folder = join(root, NASTY)
    mkdirSync(folder)
    program = { node: join(folder, 'no de'), hookMain: join(folder, "ho'ok.sh"), dataDir: folder }
    writeFileSync(program.hookMain, 'printf "%s\\n" "$@"\necho "self=$$ parent=$PPID"\ncat\n')
    gateway = createServer()
    await new Promise<void>((resolve) => gateway.listen(hookSocket(folder), resolve))
  })
  afterAll(async () => {
    await new Promise((resolve) => gateway.close(resolve))
    rmSync(root, { recursive: true, force: true })
  })

  function run(shell: string, wanted: HookProgram, env: Record<string, string> = {}): string {
    // A hook that does nothing does not read its input either: writing it may fail then, which is no matter.
    const { status, stdout, stderr } = spawnSync(shell, ['-c', hookCommand(wanted)], {
      // At the first level, with a socket for input, bash would run the user's own start-up file.
      env: { PATH: process.env.PATH ?? '', HOME: root, SHLVL: '2', ...env },
      input: 'the input',
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }

  it.each(['bash', 'sh'])('runs the hook in the place of %s, whatever the paths hold', (shell) => {
    const said = run(shell, program, { CLAUDE_CODE_ENTRYPOINT: 'cli' }).split('\n')
    const words = ['--data', program.dataDir, '--node', program.node, '--parent', String(process.pid)]
    expect(said.slice(0, 6)).toEqual(words)
    expect(said[6]).toMatch(new RegExp(`^self=\\d+ parent=${process.pid}$`))
    expect(said[7]).toBe('the input')
  })

  it('says of all events but the one that asks that nobody waits for them', () => {
    const commands = [...wantedHooks('x')].map(([event, { hooks }]) => [
      event,
      (hooks[0] as { command: string }).command,
    ])
    const { PermissionRequest, ...others } = Object.fromEntries(commands)
    expect(PermissionRequest).toBe('x')
    expect(new Set(Object.values(others))).toEqual(new Set(['x --life']))
  })

  it.each(['bash', 'sh'])('does nothing in %s where there is nothing to do', (shell) => {
    expect(run(shell, { ...program, dataDir: join(root, 'no gateway') })).toBe('')
    expect(run(shell, { ...program, hookMain: join(root, 'gone') })).toBe('')
  })

  it.each(['sdk-ts', 'sdk-py'])('does nothing where a program is asked itself (%s)', (entry) => {
    expect(run('sh', program, { CLAUDE_CODE_ENTRYPOINT: entry })).toBe('')
    expect(run('sh', program, { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })).not.toBe('')
  })

  it('is known again, with its folder', () => {
    expect(isOurs({ command: hookCommand(program) })).toBe(true)
    expect(dataFolderIn(hookCommand(program))).toBe(program.dataDir)
    for (const other of [undefined, null, 'x', {}, { command: 5 }, { command: 'echo : holdpoint; ' }])
      expect(isOurs(other)).toBe(false)
    expect(dataFolderIn(': holdpoint; true')).toBeUndefined()
  })
})
