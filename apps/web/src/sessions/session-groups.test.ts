import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { byNeed, firstRows, groupSessions } from './session-groups.ts'

const session = (title: string, fields: Partial<Session> = {}): Session =>
  ({
    id: `ses_${title}`,
    title,
    agent: 'claude',
    cwd: '/home/ann/site',
    projectId: fields.cwd ?? '/home/ann/site',
    state: 'assistant_turn',
    openAsks: 0,
    stateChangedAt: 0,
    ...fields,
  }) as Session

describe('groups of sessions', () => {
  it('puts sessions that need an answer on top, inside a project and among projects', () => {
    const groups = groupSessions([
      session('ended', { state: 'dead', stateChangedAt: 9 }),
      session('working', { stateChangedAt: 5 }),
      session('waits', { openAsks: 1 }),
      session('elsewhere', { cwd: '/home/ann/api', stateChangedAt: 99 }),
    ])
    expect(groups.map(({ name, sessions }) => [name, sessions.map(({ title }) => title)])).toEqual([
      ['site', ['waits', 'working', 'ended']],
      ['api', ['elsewhere']],
    ])
  })

  it('tells folders of one name apart', () => {
    const groups = groupSessions([session('a'), session('b', { cwd: '/home/bob/site' })])
    expect(groups.map(({ name }) => name).sort()).toEqual(['ann/site', 'bob/site'])
  })

  it('puts all demo sessions together', () => {
    const demo = { agent: 'demo' }
    expect(
      groupSessions([session('a', { ...demo, cwd: '/x/1' }), session('b', { ...demo, cwd: '/x/2' })]),
    ).toMatchObject([{ name: 'Demo', sessions: [{}, {}] }])
  })

  it('I7 cuts a list after its first rows, and never before one that needs a person', () => {
    const sorted = [
      session('frozen', { frozen: true }),
      session('waits', { openAsks: 1 }),
      session('may wait', { mayWait: true }),
      session('idle', { state: 'user_turn' }),
      session('ended', { state: 'dead' }),
    ]
    expect([...sorted].reverse().sort(byNeed).at(-1)?.title).toBe('ended')
    expect(firstRows(sorted, 4).map(({ title }) => title)).toEqual(['frozen', 'waits', 'may wait', 'idle'])
    expect(firstRows(sorted, 1).map(({ title }) => title)).toEqual(['frozen', 'waits', 'may wait'])
    expect(firstRows(sorted.slice(0, 2), 1)).toHaveLength(2)
  })
})
