import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ClaudeProcesses, createClaudeProcesses } from './claude-process.ts'

let proc: string
let claudeOf: ClaudeProcesses

beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'hp-proc-'))
  claudeOf = createClaudeProcesses(proc)
})
afterEach(() => rmSync(proc, { recursive: true, force: true }))

interface Entry {
  readonly name: string
  readonly parent: number
  readonly startedAt: number
  readonly line?: readonly string[]
  readonly state?: string
}

function put(pid: number, { name, parent, startedAt, line = [name], state = 'S' }: Entry) {
  mkdirSync(join(proc, String(pid)), { recursive: true })
  const before = Array(17).fill('0').join(' ')
  writeFileSync(join(proc, `${pid}/stat`), `${pid} (${name}) ${state} ${parent} ${before} ${startedAt} 0 0\n`)
  writeFileSync(join(proc, `${pid}/cmdline`), line.join('\0'))
}

function end(pid: number) {
  rmSync(join(proc, String(pid)), { recursive: true })
}

describe('the process that a hook runs for', () => {
  it('is the parent, when that is Claude Code', () => {
    put(70, { name: 'claude', parent: 60, startedAt: 4711 })
    put(60, { name: 'claude', parent: 1, startedAt: 1 })
    expect(claudeOf(70, 'a')).toEqual({ pid: 70, startedAt: 4711 })
  })

  it('is the nearest ancestor, when a shell is in between', () => {
    put(90, { name: 'sh', parent: 80, startedAt: 9, line: ['/bin/sh', '-c', 'sh /home/claude/hook.sh'] })
    put(80, { name: 'bash) S (x', parent: 70, startedAt: 8 })
    put(70, { name: 'claude', parent: 60, startedAt: 7 })
    put(60, { name: 'bash', parent: 1, startedAt: 6 })
    expect(claudeOf(90, 'a')).toEqual({ pid: 70, startedAt: 7 })
  })

  it('is known by its command line, when it runs on Node', () => {
    put(90, { name: 'sh', parent: 80, startedAt: 9 })
    const script = '/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js'
    put(80, { name: 'node', parent: 1, startedAt: 8, line: ['/usr/bin/node', script] })
    expect(claudeOf(90, 'a')).toEqual({ pid: 80, startedAt: 8 })
  })

  it('is the parent where no ancestor is Claude Code, with its start time if there is one', () => {
    put(90, { name: 'sh', parent: 80, startedAt: 9 })
    put(80, { name: 'node', parent: 80, startedAt: 8 })
    expect(claudeOf(90, 'a')).toEqual({ pid: 90, startedAt: 9 })
    expect(claudeOf(91, 'a')).toEqual({ pid: 91 })
  })
})

describe('a Claude Code that has just ended', () => {
  beforeEach(() => {
    put(1, { name: 'systemd', parent: 0, startedAt: 1 })
    put(60, { name: 'systemd', parent: 1, startedAt: 50 })
    put(70, { name: 'claude', parent: 60, startedAt: 4711 })
  })

  it('is itself as long as the system has a note of it', () => {
    put(70, { name: 'claude', parent: 60, startedAt: 4711, state: 'Z', line: [] })
    expect(claudeOf(70, 'a')).toEqual({ pid: 70, startedAt: 4711 })
  })

  it.each([70, 60, 1])('is known by its earlier hooks when the parent is said to be %i', (parent) => {
    claudeOf(70, 'a')
    end(70)
    expect(claudeOf(parent, 'a')).toEqual({ pid: 70, startedAt: 4711 })
    expect(claudeOf(parent, 'a')).toEqual({ pid: 70, startedAt: 4711 })
    expect(claudeOf(70, 'b')).toEqual({ pid: 70 })
  })

  it('is not taken for the next one of its conversation, whatever that is called', () => {
    claudeOf(70, 'a')
    end(70)
    put(80, { name: 'bun', parent: 60, startedAt: 4800 })
    expect(claudeOf(80, 'a')).toEqual({ pid: 80, startedAt: 4800 })
    put(70, { name: 'bun', parent: 60, startedAt: 4900 })
    expect(claudeOf(70, 'a')).toEqual({ pid: 70, startedAt: 4900 })
  })

  it('is not what an older one of the same conversation is taken for, as long as it is there', () => {
    put(65, { name: 'bun', parent: 60, startedAt: 60 })
    claudeOf(70, 'a')
    expect(claudeOf(65, 'a')).toEqual({ pid: 65, startedAt: 60 })
  })
})

it('[I10] remembers a thousand conversations and no more', () => {
  put(70, { name: 'claude', parent: 1, startedAt: 4711 })
  for (let count = 0; count < 1001; count++) claudeOf(70, String(count))
  end(70)
  expect(claudeOf(70, '0')).toEqual({ pid: 70 })
  expect(claudeOf(70, '1000')).toEqual({ pid: 70, startedAt: 4711 })
})
