import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolderIn, type HookProgram, hookCommand, isOurs } from './hook-entries.ts'

const NASTY = `a 'b' "c" $HOME \`d\` \\e #;&|`

describe('the command', () => {
  let root: string
  let program: HookProgram
  let gateway: Server

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'hp-sh-'))
    const folder = join(root, NASTY)
    mkdirSync(folder)
    program = { node: join(folder, 'no de'), hookMain: join(folder, "ho'ok.js"), dataDir: folder }
    const lines = ['printf "%s\\n" "$@"', 'echo "options=$NODE_OPTIONS"', 'echo "self=$$ parent=$PPID"', 'cat']
    writeFileSync(program.node, `#!/bin/sh\n${lines.join('\n')}\n`)
    chmodSync(program.node, 0o755)
    writeFileSync(program.hookMain, '')
    gateway = createServer()
    await new Promise<void>((resolve) => gateway.listen(join(folder, 'gateway.sock'), resolve))
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
    const said = run(shell, program, { NODE_OPTIONS: '--inspect', CLAUDE_CODE_ENTRYPOINT: 'cli' })
    const [script, data, folder, parent, pid, options, processes, input] = said.split('\n')
    expect([script, data, folder]).toEqual([program.hookMain, '--data', program.dataDir])
    expect([parent, pid]).toEqual(['--parent', String(process.pid)])
    expect(options).toBe('options=')
    expect(processes).toMatch(new RegExp(`^self=\\d+ parent=${process.pid}$`))
    expect(input).toBe('the input')
  })

  it.each(['bash', 'sh'])('does nothing in %s where there is nothing to do', (shell) => {
    expect(run(shell, { ...program, dataDir: join(root, 'no gateway') })).toBe('')
    expect(run(shell, { ...program, hookMain: join(root, 'gone') })).toBe('')
    expect(run(shell, { ...program, node: join(root, 'gone') })).toBe('')
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
