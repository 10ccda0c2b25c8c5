import { describe, expect, it } from 'vitest'
import {
  askId,
  eventsOf,
  ruleId,
  SAMPLE_OUTCOME,
  sampleAppend,
  sampleAsk,
  sampleMessage,
  sampleRule,
  sampleSession,
  sessionId,
} from './store-samples.ts'

import type { StoreWorld } from './store-world.ts'

const one = eventsOf(1)
const two = eventsOf(2)

/** What a session is folded from after a restart. */
export function restartContract(world: StoreWorld): void {
  describe('a session after a restart', () => {
    it('has its open asks, its undelivered outcomes, rules and messages', async () => {
      await world.appendOne(
        sampleAppend({
          after: 0,
          events: [
            one.started(sampleSession(1, { epoch: 2 })),
            one.raised(sampleAsk(1)),
            one.raised(sampleAsk(2)),
            one.settled(2),
            one.raised(sampleAsk(3, { epoch: 2 })),
            one.raised(sampleAsk(4, { epoch: 2 })),
            one.settled(4),
            one.raised(sampleAsk(5, { epoch: 2 })),
            one.settled(5),
            one.delivered(5),
            one.delivered(5),
            one.ruleAdded(sampleRule(1)),
            one.ruleAdded(sampleRule(2)),
            one.ruleRemoved(1),
            one.added(sampleMessage(1, { status: 'queued' })),
            one.added(sampleMessage(2, { status: 'queued' })),
            one.added(sampleMessage(3, { status: 'queued' })),
            one.added(sampleMessage(4, { status: 'queued' })),
            one.added(sampleMessage(5, { role: 'assistant' })),
            one.changed(1, 'sent'),
            one.changed(2, 'sent'),
            one.changed(3, 'cancelled'),
          ],
          session: { epoch: 2, openAsks: 2 },
          checkpoint: 41,
        }),
      )
      await world.reloaded()
      const live = await world.store.liveSession(sessionId(1))
      expect(live).toEqual({
        session: sampleSession(1, { epoch: 2, openAsks: 2 }),
        seq: 22,
        checkpoint: 41,
        asks: [sampleAsk(1), sampleAsk(3, { epoch: 2 })],
        undelivered: new Map([[askId(4), { epoch: 2, requestId: sampleAsk(4).requestId, kind: SAMPLE_OUTCOME.kind }]]),
        rules: [sampleRule(2)],
        messages: [sampleMessage(2, { status: 'sent' }), sampleMessage(4, { status: 'queued' })],
      })
      expect(await world.store.liveSessions()).toEqual([live])
      const settled = sampleAppend({ after: 22, events: [one.settled(1)], session: { epoch: 2 } })
      expect((await world.appendOne(settled)).ok).toBe(true)
      expect((await world.store.verify()).fault).toBeUndefined()
    })

    it('T61 has the rules of its life alone, and those of older versions, which have none', async () => {
      const rules = [sampleRule(1), { ...sampleRule(2), epoch: 1 }, { ...sampleRule(3), epoch: 2 }]
      const events = rules.map((rule) => one.ruleAdded(rule))
      const session = sampleSession(1, { epoch: 2 })
      await world.appendOne(sampleAppend({ after: 0, events: [one.started(session), ...events], session }))
      await world.reloaded()
      expect((await world.store.liveSession(sessionId(1)))?.rules.map(({ id }) => id)).toEqual([ruleId(1), ruleId(3)])
      expect((await world.store.liveSessions())[0]?.rules).toHaveLength(2)
    })

    it('leaves dead sessions out of the live ones, and can still be gone on with', async () => {
      const dead = sampleSession(1, { state: 'dead' })
      await world.appendOne(sampleAppend({ after: 0, events: [one.started(dead)], session: dead }))
      await world.appendOne(sampleAppend({ n: 2, after: 0, events: [two.started()] }))
      expect((await world.store.liveSessions()).map(({ session }) => session.id)).toEqual([sessionId(2)])
      expect((await world.store.liveSession(sessionId(1)))?.seq).toBe(1)
      expect(await world.store.liveSession(sessionId(3))).toBeUndefined()
      const alive = one.started()
      expect((await world.appendOne(sampleAppend({ after: 1, events: [alive] }))).ok).toBe(true)
      expect(await world.store.liveSessions()).toHaveLength(2)
    })
  })
}
