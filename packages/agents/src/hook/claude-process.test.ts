import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claudeProcess } from './claude-process.ts'

let proc: string

beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'hp-proc-'))
})
afterEach(() => rmSync(proc, { recursive: true, force: true }))

function put(pid: number, entry: { name: string; parent: number; startedAt: number; line?: readonly string[] }) {
  mkdirSync(join(proc, String(pid)))
  const before = Array(17).fill('0').join(' ')
  writeFileSync(
    join(proc, `${pid}/stat`),
    `${pid} (${entry.name}) S ${entry.parent} ${before} ${entry.startedAt} 0 0\n`,
  )
  writeFileSync(join(proc, `${pid}/cmdline`), (entry.line ?? [entry.name]).join('\0'))
}

it('is the parent, when that is Claude Code', () => {
  put(70, { name: 'claude', parent: 60, startedAt: 4711 })
  put(60, { name: 'claude', parent: 1, startedAt: 1 })
  expect(claudeProcess(70, proc)).toEqual({ pid: 70, startedAt: 4711 })
})

it('is the nearest ancestor, when a shell is in between', () => {
  put(90, { name: 'sh', parent: 80, startedAt: 9, line: ['/bin/sh', '-c', 'node /home/claude/hook.js'] })
  put(80, { name: 'bash) S (x', parent: 70, startedAt: 8 })
  put(70, { name: 'claude', parent: 60, startedAt: 7 })
  put(60, { name: 'bash', parent: 1, startedAt: 6 })
  expect(claudeProcess(90, proc)).toEqual({ pid: 70, startedAt: 7 })
})

it('knows one that runs on Node by its command line', () => {
  put(90, { name: 'sh', parent: 80, startedAt: 9 })
  const script = '/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js'
  put(80, { name: 'node', parent: 1, startedAt: 8, line: ['/usr/bin/node', script] })
  expect(claudeProcess(90, proc)).toEqual({ pid: 80, startedAt: 8 })
})

it('is the parent where no ancestor is Claude Code, with its start time if there is one', () => {
  put(90, { name: 'sh', parent: 80, startedAt: 9 })
  put(80, { name: 'node', parent: 80, startedAt: 8 })
  expect(claudeProcess(90, proc)).toEqual({ pid: 90, startedAt: 9 })
  expect(claudeProcess(91, proc)).toEqual({ pid: 91 })
})
