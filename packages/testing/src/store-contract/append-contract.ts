import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  askId,
  eventsOf,
  SAMPLE_OUTCOME,
  sampleAppend,
  sampleAsk,
  sampleMessage,
  sampleRule,
  sessionId,
} from './store-samples.ts'

import type { StoreWorld } from './store-world.ts'

const one = eventsOf(1)
const two = eventsOf(2)

/** What an append promises: order, conflicts, all or nothing. */
export function appendContract(world: StoreWorld): void {
  describe('append', () => {
    it('gives every event its place in the log and in its session', async () => {
      const results = await world.store.append([
        sampleAppend({ after: 0, events: [one.started(), one.raised(sampleAsk(1))] }),
        sampleAppend({ n: 2, after: 0, events: [two.started()] }),
        sampleAppend({ after: 2, events: [one.settled(1)] }),
      ])
      const places = results.flatMap((result) => (result.ok ? result.stored : []))
      expect(places.map(({ seq, sessionSeq }) => [seq, sessionSeq])).toEqual([
        [1, 1],
        [2, 2],
        [3, 1],
        [4, 3],
      ])
      expect(await world.allEvents()).toEqual(places)
      expect(await world.store.lastSeq()).toBe(4)
    })

    it('refuses a stale append, writes nothing of it, and says where the session is (I1)', async () => {
      await world.appendOne(sampleAppend({ after: 0, events: [one.started()] }))
      const stale = sampleAppend({ after: 0, events: [one.raised(sampleAsk(1))], session: { title: 'stale' } })
      expect(await world.appendOne(stale)).toEqual({ ok: false, seq: 1 })
      expect(await world.allEvents()).toHaveLength(1)
      expect(await world.store.ask(askId(1))).toBeUndefined()
      expect((await world.store.session(sessionId(1)))?.title).toBe('Session 1')
    })

    it('counts earlier appends of the same call: of two for one place the first wins, the rest goes on', async () => {
      const results = await world.store.append([
        sampleAppend({ after: 0, events: [one.started()] }),
        sampleAppend({ after: 0, events: [one.started()] }),
        sampleAppend({ n: 2, after: 0, events: [two.started()] }),
        sampleAppend({ after: 1, events: [one.raised(sampleAsk(1))] }),
      ])
      expect(results.map(({ ok }) => ok)).toEqual([true, false, true, true])
      expect(results[1]).toEqual({ ok: false, seq: 1 })
      expect((await world.allEvents()).map(({ seq }) => seq)).toEqual([1, 2, 3])
    })

    it('refuses a second ask for one request of one epoch, alone', async () => {
      await world.appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1))] }))
      const results = await world.store.append([
        sampleAppend({ n: 2, after: 0, events: [two.started()] }),
        sampleAppend({ after: 1, events: [one.raised(sampleAsk(2, { requestId: 'request-1' }))] }),
        sampleAppend({ n: 2, after: 1, events: [two.raised(sampleAsk(3, { requestId: 'request-1' }))] }),
        sampleAppend({ after: 1, events: [one.raised(sampleAsk(4, { requestId: 'request-1', epoch: 2 }))] }),
      ])
      expect(results.map(({ ok }) => ok)).toEqual([true, false, true, true])
      expect(results[1]).toEqual({ ok: false, seq: 1 })
      expect(await world.store.ask(askId(2))).toBeUndefined()
      expect((await world.allEvents()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
      expect((await world.store.verify()).fault).toBeUndefined()
    })

    it('settles an ask once, also within one append (I1)', async () => {
      const raised = sampleAppend({ after: 0, events: [one.raised(sampleAsk(1)), one.settled(1)] })
      expect((await world.appendOne(raised)).ok).toBe(true)
      const denied = { ...SAMPLE_OUTCOME, kind: 'denied' as const }
      const again = sampleAppend({ after: 2, events: [one.settled(1, denied)] })
      expect(await world.appendOne(again)).toEqual({ ok: false, seq: 2 })
      const twice = [one.raised(sampleAsk(2)), one.settled(2), one.settled(2, denied)]
      expect(await world.appendOne(sampleAppend({ after: 2, events: twice }))).toEqual({ ok: false, seq: 2 })
      expect((await world.store.ask(askId(1)))?.outcome).toEqual(SAMPLE_OUTCOME)
      expect(await world.store.ask(askId(2))).toBeUndefined()
    })

    it.each([
      ['settles an unknown ask', [one.settled(9)]],
      ['delivers an open ask', [one.raised(sampleAsk(1)), one.delivered(1)]],
      ['settles an ask before it is raised', [one.settled(1), one.raised(sampleAsk(1))]],
      ['delivers an ask before it is settled', [one.raised(sampleAsk(1)), one.delivered(1), one.settled(1)]],
      ['changes an item before it is added', [one.changed(1, 'sent'), one.added(sampleMessage(1))]],
      ['removes a rule before it is added', [one.ruleRemoved(1), one.ruleAdded(sampleRule(1))]],
      ['changes an unknown item', [one.changed(9, 'sent')]],
      ['removes an unknown rule', [one.ruleRemoved(9)]],
      ['adds an item twice', [one.added(sampleMessage(1)), one.added(sampleMessage(1))]],
    ])('refuses an append that %s', async (_what, events) => {
      expect(await world.appendOne(sampleAppend({ after: 0, events }))).toEqual({ ok: false, seq: 0 })
      expect(await world.allEvents()).toEqual([])
      expect(await world.store.endedSessions({ limit: 10 })).toEqual({ sessions: [] })
      expect(await world.store.hashAt(0)).toBeUndefined()
    })

    it("refuses to settle another session's ask (I5)", async () => {
      await world.appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1))] }))
      expect((await world.appendOne(sampleAppend({ n: 2, after: 0, events: [two.settled(1)] }))).ok).toBe(false)
      expect((await world.store.ask(askId(1)))?.outcome).toBeUndefined()
    })

    it('throws for an event of another session and takes nothing of the call', async () => {
      const wrong = sampleAppend({ n: 2, after: 0, events: [one.started()] })
      const right = sampleAppend({ after: 0, events: [one.started()] })
      await expect(world.store.append([right, wrong])).rejects.toThrow(TypeError)
      expect(await world.allEvents()).toEqual([])
    })

    it('keeps a checkpoint until the next one, without events too', async () => {
      await world.appendOne(sampleAppend({ after: 0, events: [one.started()], checkpoint: 7 }))
      await world.appendOne(sampleAppend({ after: 1, events: [one.raised(sampleAsk(1))] }))
      expect((await world.store.liveSession(sessionId(1)))?.checkpoint).toBe(7)
      expect(await world.appendOne(sampleAppend({ after: 2, events: [], checkpoint: 9 }))).toEqual({
        ok: true,
        stored: [],
      })
      expect((await (await world.reloaded()).liveSession(sessionId(1)))?.checkpoint).toBe(9)
    })

    it('keeps any text exactly: NUL, lone surrogates, byte order marks', async () => {
      const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code))
      const text = fc.string({ unit, minLength: 1, maxLength: 20 })
      const odd = ['\0', 'a\0b', '\ud800', '\udfff\ud800', '\ufeffx', '"\\', "'; --", '😀']
      const texts = new Set([...odd, ...fc.sample(text, 60)])
      let n = 0
      for (const value of texts) {
        n++
        const ask = sampleAsk(n, { requestId: value, toolUseId: value, title: value })
        expect((await world.appendOne(sampleAppend({ after: n - 1, events: [one.raised(ask)] }))).ok).toBe(true)
      }
      await world.reloaded()
      n = 0
      for (const value of texts) {
        const key = { sessionId: sessionId(1), epoch: 1 }
        const id = askId(++n)
        expect((await world.store.askByRequest({ ...key, requestId: value }))?.ask).toMatchObject({ id, title: value })
        expect((await world.store.askByToolUse({ ...key, toolUseId: value }))?.ask.id).toBe(id)
      }
      expect((await world.store.verify()).fault).toBeUndefined()
    })
  })
}
