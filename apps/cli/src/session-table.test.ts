import { homedir } from 'node:os'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { sessionTable } from './session-table.ts'

function session(given: Partial<Session>): Session {
  return {
    id: 'ses_01m7esrwym7y8ebk13fz98yd60',
    agent: 'claude',
    cwd: '/srv',
    title: 'Fix the build',
    state: 'user_turn',
    stateChangedAt: 1000,
    openAsks: 0,
    ...given,
  } as Session
}

function row(given: Partial<Session>, columns?: number): string {
  return sessionTable([session(given)], { now: 61_000, columns })[1] ?? ''
}

describe('the table of sessions', () => {
  it('names the machine of each where there are several', () => {
    const one = session({})
    const [head, line] = sessionTable([one], {
      now: 61_000,
      machines: new Map([[one.id, 'build-2']]),
      columns: undefined,
    })
    expect(head).toMatch(/^ID +STATE +MACHINE +AGENT/)
    expect(line).toMatch(/idle 1m {2}build-2 {2}claude/)
  })

  it('tells what each does, and for how long', () => {
    expect(row({})).toMatch(/^98yd60 {2}idle 1m {2}claude {2}- {5}\/srv {4}Fix the build$/)
    expect(row({ state: 'assistant_turn', openAsks: 2 })).toMatch(/needs answer 1m {2}claude {2}2 /)
    expect(row({ state: 'assistant_turn', agent: 'terminal' })).toContain('running 1m')
    expect(row({ state: 'assistant_turn', frozen: true })).toContain('frozen 1m')
    expect(row({ state: 'dead', frozen: true })).toContain('ended 1m')
  })

  it('keeps the end of a folder and the beginning of a title, and fits', () => {
    const long = row({ cwd: `${homedir()}/a/${'deep/'.repeat(20)}shop`, title: 'Title '.repeat(30) }, 80)
    expect(long).toMatch(/ …\S*\/deep\/shop {2}Title .*…$/)
    expect(long.length).toBeLessThanOrEqual(80)
    expect(row({ cwd: `${homedir()}/shop` })).toContain(' ~/shop ')
  })

  it('prints nothing raw that others wrote', () => {
    expect(row({ title: 'a\u001b[2J', cwd: '/\u202eb', agent: 'c\u0007' })).toMatch(
      / c⟨U\+0007⟩ .* \/⟨U\+202E⟩b {2}a⟨U\+001B⟩\[2J$/,
    )
  })
})
