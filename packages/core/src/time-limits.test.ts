import type { AskKind } from '@holdpoint/schema/ask'
import type { Limit, TimeLimit } from '@holdpoint/schema/time-limit'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limitFor, limitIn, startLimits } from './time-limits.ts'

const MINUTE = 60_000
const minutes = (count: number, place: Partial<TimeLimit> = {}): TimeLimit => ({
  afterMs: count * MINUTE,
  onTimeout: 'deny',
  ...place,
})
const KINDS: readonly AskKind[] = ['approval', 'question', 'plan', 'form']

describe('the limit for sessions without one of their own', () => {
  const limits = [
    minutes(1),
    minutes(2, { kind: 'question' }),
    minutes(3, { project: '/a' }),
    minutes(4, { project: '/a', kind: 'plan' }),
    minutes(5, { project: '/a/b' }),
  ]
  it.each([
    ['/other', 'approval', 1],
    ['/other', 'question', 2],
    ['/a', 'approval', 3],
    // A project's comes before one for all projects, also where that is for the kind.
    ['/a', 'question', 3],
    ['/a', 'plan', 4],
    ['/a/b', 'plan', 5],
    ['/a/c', 'plan', 1],
  ] as const)('in %s for a %s is %i minutes', (project, kind, count) => {
    expect(limitFor(limits, { project, kind })).toEqual(minutes(count))
  })

  it('is for ever where nothing is set, and of two for the same asks the first', () => {
    expect(limitFor([], { project: '/a', kind: 'plan' })).toEqual({ afterMs: null, onTimeout: 'deny' })
    expect(limitFor([minutes(1), minutes(2)], { project: '/a' })).toEqual(minutes(1))
  })
})

describe('a session', () => {
  const set = [
    minutes(5, { project: '/a', onTimeout: 'interrupt' }),
    { kind: 'question', project: '/a', afterMs: null, onTimeout: 'deny' } as const,
  ]
  it('keeps what was set for its project when it started', () => {
    expect(startLimits({}, '/a', set)).toEqual({
      askTimeoutMs: 5 * MINUTE,
      onTimeout: 'interrupt',
      timeLimits: [{ kind: 'question', afterMs: null, onTimeout: 'deny' }],
    })
    expect(startLimits({}, '/b', set)).toEqual({ onTimeout: 'deny' })
  })

  it('has its own limit for all kinds of ask instead, also for ever', () => {
    expect(startLimits({ askTimeoutMs: 1000 }, '/a', set)).toEqual({ askTimeoutMs: 1000, onTimeout: 'deny' })
    expect(startLimits({ askTimeoutMs: null }, '/a', set)).toEqual({ onTimeout: 'deny' })
  })

  it('may say what happens alone, or the limit of one kind alone', () => {
    expect(startLimits({ onTimeout: 'deny' }, '/a', set)).toMatchObject({ askTimeoutMs: 5 * MINUTE, onTimeout: 'deny' })
    const own = [{ kind: 'question' as const, afterMs: 1000, onTimeout: 'interrupt' as const }]
    expect(startLimits({ timeLimits: own }, '/a', set)).toEqual({
      askTimeoutMs: 5 * MINUTE,
      onTimeout: 'interrupt',
      timeLimits: own,
    })
  })

  it('of an older version has its one limit for all kinds of ask', () => {
    for (const kind of KINDS) {
      expect(limitIn({ askTimeoutMs: 7, onTimeout: 'interrupt' }, kind)).toEqual({ afterMs: 7, onTimeout: 'interrupt' })
      expect(limitIn({ onTimeout: 'deny' }, kind)).toEqual({ afterMs: null, onTimeout: 'deny' })
    }
  })

  it('has for each kind the limit that was set, whatever is set', () => {
    const limit = fc.record({
      afterMs: fc.constantFrom(null, 1000, 2000),
      onTimeout: fc.constantFrom<Limit['onTimeout']>('deny', 'interrupt'),
    })
    const place = fc.record(
      { project: fc.constantFrom('/a', '/b'), kind: fc.constantFrom(...KINDS) },
      { requiredKeys: [] },
    )
    const list = fc.array(
      fc.tuple(place, limit).map(([at, value]): TimeLimit => ({ ...at, ...value })),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(list, fc.constantFrom(...KINDS), (limits, kind) => {
        const found = limitIn(startLimits({}, '/a', limits), kind)
        expect({ afterMs: found.afterMs, onTimeout: found.onTimeout }).toEqual(
          limitFor(limits, { project: '/a', kind }),
        )
      }),
    )
  })

  it('F28 lets each kind of ask wait for as long as its own limit, and no longer', async () => {
    const world = await createCoreWorld({
      timeLimits: [minutes(1), minutes(2, { kind: 'question', project: '/somewhere' })],
    })
    const { session, agent } = await world.session()
    const approval = agent.ask()
    const question = agent.ask({
      kind: 'question',
      questions: [{ question: 'Which?', options: [], multiSelect: false }],
    })
    await expect.poll(() => world.view(session)?.asks.size).toBe(2)
    const open = [...(world.view(session)?.asks.values() ?? [])]
    expect(open.map(({ kind, raisedAt, expiresAt = 0 }) => [kind, (expiresAt - raisedAt) / MINUTE])).toEqual([
      ['approval', 1],
      ['question', 2],
    ])
    world.time.advance(MINUTE)
    expect(await approval).toMatchObject({ kind: 'expired', via: 'gateway' })
    expect(world.view(session)?.asks.size).toBe(1)
    world.time.advance(MINUTE)
    expect(await question).toMatchObject({ kind: 'expired', via: 'gateway' })
  })
})
