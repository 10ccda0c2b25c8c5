import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hookSocket } from './hook-access.ts'
import {
  beforeCommand,
  dataFolderIn,
  type HookProgram,
  hookCommand,
  isCommandOf,
  isOurs,
  whenStoppedIn,
} from './hook-command.ts'

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
    return runLine(shell, hookCommand(wanted), env)
  }

  function runLine(shell: string, line: string, env: Record<string, string> = {}): string {
    // A hook that does nothing does not read its input either: writing it may fail then, which is no matter.
    const { status, stdout, stderr } = spawnSync(shell, ['-c', line], {
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

  it.each(['bash', 'sh'])('before a call always prints JSON in %s', (shell) => {
    const line = beforeCommand(program, 'deny')
    const said = runLine(shell, line).split('\n')
    expect(said.slice(4, 7)).toEqual(['--parent', String(process.pid), '--before'])
    expect(JSON.parse(said[7] ?? '').hookSpecificOutput.permissionDecision).toBe('deny')
    expect(said[9]).toBe('the input')
    for (const wanted of [
      { ...program, dataDir: join(root, 'no gateway') },
      { ...program, hookMain: join(root, 'gone') },
    ]) {
      expect(runLine(shell, beforeCommand(wanted, 'ask-here'))).toBe('{}\n')
      const denied = JSON.parse(runLine(shell, beforeCommand(wanted, 'deny')))
      expect(denied.hookSpecificOutput).toMatchObject({ hookEventName: 'PreToolUse', permissionDecision: 'deny' })
    }
    expect(runLine(shell, line, { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' })).toBe('{}\n')
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
    expect(dataFolderIn(beforeCommand(program, 'deny'))).toBe(program.dataDir)
    expect(whenStoppedIn(beforeCommand(program, 'deny'))).toBe('deny')
    expect(whenStoppedIn(beforeCommand(program, 'ask-here'))).toBe('ask-here')
    expect(whenStoppedIn(hookCommand(program))).toBeUndefined()
  })

  it('T65 is taken for this program only if it runs nothing else', () => {
    for (const line of [
      hookCommand(program),
      `${hookCommand(program)} --life`,
      beforeCommand(program, 'deny'),
      beforeCommand({ ...program, node: '/another/node' }, 'ask-here'),
    ]) {
      expect(isCommandOf(line, program)).toBe(true)
      expect(isCommandOf(line, { ...program, dataDir: '/elsewhere' })).toBe(false)
      expect(isCommandOf(line, { ...program, hookMain: '/elsewhere/hook.sh' })).toBe(false)
      expect(isCommandOf(`${line}; echo yes`, program)).toBe(false)
      expect(isCommandOf(line.replace(': holdpoint; ', ': holdpoint; echo yes; '), program)).toBe(false)
    }
    expect(isCommandOf(': holdpoint; echo yes', program)).toBe(false)
  })
})
