import type { GatewayState } from '@holdpoint/client/gateway-client'
import type { Timers } from '@holdpoint/client/timers'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { calmSessions } from './calm-sessions.ts'

const ONE = 'ses_1' as SessionId
const working = { id: ONE, state: 'assistant_turn', openAsks: 0 } as Session

/** A client whose sessions the test changes, and a clock that it moves. */
function world() {
  let sessions = new Map([[ONE, working]])
  let now = 1000
  const told = new Set<() => void>()
  const due = new Set<{ at: number; ring: () => void }>()
  const timers: Timers = {
    now: () => now,
    after(ms, ring) {
      const timer = { at: now + ms, ring }
      due.add(timer)
      return () => due.delete(timer)
    },
  }
  const client = {
    subscribe(listener: () => void) {
      told.add(listener)
      return () => void told.delete(listener)
    },
    getState: () => ({ sessions }) as unknown as GatewayState,
  }
  return {
    calm: calmSessions(client, timers),
    due,
    told,
    set(...changed: Partial<Session>[]) {
      sessions = new Map(sessions)
      for (const change of changed) {
        const session = { ...working, ...change }
        sessions.set(session.id, session)
      }
      for (const listener of told) listener()
    },
    pass(ms: number) {
      now += ms
      for (const timer of [...due].filter(({ at }) => at <= now)) {
        due.delete(timer)
        timer.ring()
      }
    },
  }
}

it('shows what agents do at once after a quiet time, and a few times a second when they are busy', () => {
  const { calm, set, pass } = world()
  let pictures = 0
  calm.subscribe(() => pictures++)
  set({ state: 'user_turn' })
  expect(calm.getSessions()[0]?.state).toBe('user_turn')
  for (let change = 0; change < 100; change++) {
    set({ state: change % 2 ? 'user_turn' : 'assistant_turn', stateChangedAt: change })
    pass(10)
  }
  expect(pictures).toBeGreaterThanOrEqual(4)
  expect(pictures).toBeLessThanOrEqual(6)
  pass(250)
  expect(calm.getSessions()[0]?.stateChangedAt).toBe(99)
})

it.each([
  ['an ask', { openAsks: 1 }],
  ['an alarm', { frozen: true }],
  ['an end', { state: 'dead' }],
  ['another session', { id: 'ses_2' as SessionId }],
] as const)('shows %s at once, however busy it is', (_, change) => {
  const { calm, set, due } = world()
  calm.subscribe(() => {})
  set({ state: 'user_turn' })
  set({ state: 'assistant_turn' })
  expect(due.size).toBe(1)
  set(change)
  expect(calm.getSessions().at(-1)).toMatchObject(change)
  expect(due.size).toBe(0)
})

it('knows what happened while nobody looked, and leaves nothing behind', () => {
  const { calm, set, due, told } = world()
  set({ title: 'Renamed' })
  const stop = calm.subscribe(() => {})
  expect(calm.getSessions()[0]?.title).toBe('Renamed')
  set({ state: 'user_turn' })
  set({ state: 'assistant_turn' })
  stop()
  expect(due.size).toBe(0)
  expect(told.size).toBe(0)
})
