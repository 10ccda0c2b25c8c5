import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from '@holdpoint/testing/built-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NOT_RUNNING = 3

function run(command, args, home) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const seen = { child, stdout: '', exited: new Promise((resolve) => child.on('close', resolve)) }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    seen.stdout += text
  })
  return seen
}

async function withFolder(act) {
  const folder = mkdtempSync(join(tmpdir(), 'hp-'))
  try {
    await act(folder)
  } finally {
    await runCommand(['stop', '--all', '--data', folder])
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('npm start', () => {
  it('prints the ready line and nothing else, and keeps signal and exit code', () =>
    withFolder(async (folder) => {
      const started = run(process.execPath, ['scripts/start.mjs', '--port', '0', '--data', folder], folder)
      await until(() => started.stdout.includes('\n'), 'the ready line')
      expect(started.stdout).toMatch(/^Holdpoint is ready: http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]{11}#login=\S+\n$/)
      started.child.kill('SIGTERM')
      expect(await started.exited).toBe(0)
    }))

  it('passes on what the command says about wrong options', () =>
    withFolder(async (folder) => {
      const started = run(process.execPath, ['scripts/start.mjs', '--host', '0.0.0.0', '--data', folder], folder)
      expect(await started.exited).toBe(5)
    }))

  it('leaves no gateway behind when npm is told to end', () =>
    withFolder(async (folder) => {
      const started = run('npm', ['start', '--', '--port', '0', '--data', folder], folder)
      await until(() => started.stdout.includes('Holdpoint is ready'), 'the ready line')
      started.child.kill('SIGTERM')
      await started.exited
      const isGone = async () => (await runCommand(['status', '--data', folder])).code === NOT_RUNNING
      await until(isGone, 'the gateway to be gone')
    }))
})
