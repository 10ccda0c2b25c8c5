import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { runningProcess } from '../host/processes.ts'
import { ALLOW, FakeGateway, reply } from './fixtures/fake-gateway.ts'
import { HOOK, runHookProgram, SILENT } from './fixtures/run-hook-program.ts'

const PERMISSION = { session_id: 's', hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {} }

describe('the hook program', () => {
  it('prints what the gateway says, and nothing else', async () => {
    await using gateway = await FakeGateway.start((call) => reply(call, 200, { output: ALLOW }))
    const { ended } = runHookProgram(gateway.dataDir, PERMISSION, ['--parent', String(process.pid)])
    expect(await ended).toEqual({ ...SILENT, stdout: `${JSON.stringify(ALLOW)}\n` })
    expect(gateway.calls[0]?.hook).toEqual(PERMISSION)
  })

  it('tells which Claude Code asks, and ends with it, though nobody ended it', async () => {
    await using gateway = await FakeGateway.start(() => {})
    await using claude = startClaude([HOOK, '--data', gateway.dataDir], PERMISSION)
    const call = await until(() => gateway.calls[0], 'the call')
    const { startTime = '' } = (await runningProcess(claude.pid)) ?? {}
    expect(call.process).toEqual({ pid: claude.pid, ...(startTime !== '' && { startedAt: Number(startTime) }) })
    const gone = new Promise((resolve) => call.response.on('close', resolve))
    claude.kill()
    await gone
  })

  it('prints a long answer whole', async () => {
    const output = { ...ALLOW, systemMessage: 'x'.repeat(3_000_000) }
    await using gateway = await FakeGateway.start((call) => reply(call, 200, { output }))
    const { stdout } = await runHookProgram(gateway.dataDir, PERMISSION).ended
    expect(JSON.parse(stdout)).toEqual(output)
  })

  it('says nothing when there is no gateway, however it is gone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hp-none-'))
    try {
      expect(await runHookProgram(folder, PERMISSION).ended).toEqual(SILENT)
      expect(await runHookProgram(join(folder, 'missing'), PERMISSION).ended).toEqual(SILENT)
      writeFileSync(join(folder, 'terminal.json'), '{"url":"http://127.0.0.1:1","token":"x"}')
      expect(await runHookProgram(folder, PERMISSION).ended).toEqual(SILENT)
      writeFileSync(join(folder, 'gateway.sock'), 'not a socket')
      expect(await runHookProgram(folder, PERMISSION).ended).toEqual(SILENT)
      chmodSync(folder, 0o000)
      expect(await runHookProgram(folder, PERMISSION).ended).toEqual(SILENT)
      expect(await runHookProgram('', PERMISSION).ended).toEqual(SILENT)
    } finally {
      chmodSync(folder, 0o700)
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('ends at once when it is told to, without a word', async () => {
    await using gateway = await FakeGateway.start(() => {})
    const { child, ended } = runHookProgram(gateway.dataDir, PERMISSION)
    const call = await until(() => gateway.calls[0], 'the call')
    const gone = new Promise((resolve) => call.response.on('close', resolve))
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ stdout: '', stderr: '', signal: 'SIGTERM' })
    await gone
  })
})

/** A process of that name, which runs a hook as its child. */
function startClaude(args: readonly string[], input: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'hp-claude-'))
  const program = join(folder, 'claude')
  symlinkSync(process.execPath, program)
  const script = `require('child_process').spawn(process.execPath, process.argv.slice(1)).stdin.end(process.env.INPUT)`
  const child = spawn(program, ['-e', script, ...args], { env: { INPUT: JSON.stringify(input) }, stdio: 'ignore' })
  const exit = new Promise((resolve) => child.on('exit', resolve))
  return {
    pid: child.pid ?? 0,
    kill: () => child.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
