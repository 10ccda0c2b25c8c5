import { type Append, type AppendResult, type Store, StoreFault } from '@holdpoint/core/store'
import type { Stored } from '@holdpoint/schema/event'
import type { AskId } from '@holdpoint/schema/id'
import { askItem } from '@holdpoint/schema/item'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  askId,
  deviceId,
  eventsOf,
  itemId,
  ruleId,
  SAMPLE_OUTCOME,
  sampleAppend,
  sampleAsk,
  sampleMessage,
  sampleRule,
  sampleSession,
  sessionId,
} from './store-samples.ts'

export interface StoreFixture {
  readonly store: Store
  /** Closes the store and opens it again on the same data; absent where nothing outlives a close. */
  readonly reopen?: () => Promise<Store>
  readonly dispose: () => Promise<void>
}

/** What every store promises. */
export function storeContract(name: string, create: () => Promise<StoreFixture>): void {
  describe(`${name} meets the store contract`, () => {
    let fixture: StoreFixture
    let store: Store
    beforeEach(async () => {
      fixture = await create()
      store = fixture.store
    })
    afterEach(() => fixture.dispose())

    const one = eventsOf(1)
    const two = eventsOf(2)
    async function appendOne(append: Append): Promise<AppendResult> {
      const [result] = await store.append([append])
      if (!result) throw new Error('an append gives a result')
      return result
    }
    async function reloaded(): Promise<Store> {
      if (fixture.reopen) store = await fixture.reopen()
      return store
    }
    const allEvents = () => store.events({ after: 0, limit: 10_000 })

    describe('append', () => {
      it('gives every event its place in the log and in its session', async () => {
        const results = await store.append([
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
        expect(await allEvents()).toEqual(places)
        expect(await store.lastSeq()).toBe(4)
      })

      it('refuses a stale append, writes nothing of it, and says where the session is (I1)', async () => {
        await appendOne(sampleAppend({ after: 0, events: [one.started()] }))
        const stale = sampleAppend({ after: 0, events: [one.raised(sampleAsk(1))], session: { title: 'stale' } })
        expect(await appendOne(stale)).toEqual({ ok: false, seq: 1 })
        expect(await allEvents()).toHaveLength(1)
        expect(await store.ask(askId(1))).toBeUndefined()
        expect((await store.session(sessionId(1)))?.title).toBe('Session 1')
      })

      it('counts earlier appends of the same call: of two for one place the first wins, the rest goes on', async () => {
        const results = await store.append([
          sampleAppend({ after: 0, events: [one.started()] }),
          sampleAppend({ after: 0, events: [one.started()] }),
          sampleAppend({ n: 2, after: 0, events: [two.started()] }),
          sampleAppend({ after: 1, events: [one.raised(sampleAsk(1))] }),
        ])
        expect(results.map(({ ok }) => ok)).toEqual([true, false, true, true])
        expect(results[1]).toEqual({ ok: false, seq: 1 })
        expect((await allEvents()).map(({ seq }) => seq)).toEqual([1, 2, 3])
      })

      it('refuses a second ask for one request of one epoch, alone', async () => {
        await appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1))] }))
        const results = await store.append([
          sampleAppend({ n: 2, after: 0, events: [two.started()] }),
          sampleAppend({ after: 1, events: [one.raised(sampleAsk(2, { requestId: 'request-1' }))] }),
          sampleAppend({ n: 2, after: 1, events: [two.raised(sampleAsk(3, { requestId: 'request-1' }))] }),
          sampleAppend({ after: 1, events: [one.raised(sampleAsk(4, { requestId: 'request-1', epoch: 2 }))] }),
        ])
        expect(results.map(({ ok }) => ok)).toEqual([true, false, true, true])
        expect(results[1]).toEqual({ ok: false, seq: 1 })
        expect(await store.ask(askId(2))).toBeUndefined()
        expect((await allEvents()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
        expect((await store.verify()).fault).toBeUndefined()
      })

      it('settles an ask once, also within one append (I1)', async () => {
        const raised = sampleAppend({ after: 0, events: [one.raised(sampleAsk(1)), one.settled(1)] })
        expect((await appendOne(raised)).ok).toBe(true)
        const denied = { ...SAMPLE_OUTCOME, kind: 'denied' as const }
        const again = sampleAppend({ after: 2, events: [one.settled(1, denied)] })
        expect(await appendOne(again)).toEqual({ ok: false, seq: 2 })
        const twice = [one.raised(sampleAsk(2)), one.settled(2), one.settled(2, denied)]
        expect(await appendOne(sampleAppend({ after: 2, events: twice }))).toEqual({ ok: false, seq: 2 })
        expect((await store.ask(askId(1)))?.outcome).toEqual(SAMPLE_OUTCOME)
        expect(await store.ask(askId(2))).toBeUndefined()
      })

      it.each([
        ['settles an unknown ask', [one.settled(9)]],
        ['delivers an open ask', [one.raised(sampleAsk(1)), one.delivered(1)]],
        ['changes an unknown item', [one.changed(9, 'sent')]],
        ['removes an unknown rule', [one.ruleRemoved(9)]],
        ['adds an item twice', [one.added(sampleMessage(1)), one.added(sampleMessage(1))]],
      ])('refuses an append that %s', async (_what, events) => {
        expect(await appendOne(sampleAppend({ after: 0, events }))).toEqual({ ok: false, seq: 0 })
        expect(await allEvents()).toEqual([])
        expect(await store.endedSessions({ limit: 10 })).toEqual({ sessions: [] })
        expect(await store.hashAt(0)).toBeUndefined()
      })

      it("refuses to settle another session's ask (I5)", async () => {
        await appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1))] }))
        expect((await appendOne(sampleAppend({ n: 2, after: 0, events: [two.settled(1)] }))).ok).toBe(false)
        expect((await store.ask(askId(1)))?.outcome).toBeUndefined()
      })

      it('throws for an event of another session and takes nothing of the call', async () => {
        const wrong = sampleAppend({ n: 2, after: 0, events: [one.started()] })
        const right = sampleAppend({ after: 0, events: [one.started()] })
        await expect(store.append([right, wrong])).rejects.toThrow(TypeError)
        expect(await allEvents()).toEqual([])
      })

      it('keeps a checkpoint until the next one, without events too', async () => {
        await appendOne(sampleAppend({ after: 0, events: [one.started()], checkpoint: 7 }))
        await appendOne(sampleAppend({ after: 1, events: [one.raised(sampleAsk(1))] }))
        expect((await store.liveSession(sessionId(1)))?.checkpoint).toBe(7)
        expect(await appendOne(sampleAppend({ after: 2, events: [], checkpoint: 9 }))).toEqual({ ok: true, stored: [] })
        expect((await (await reloaded()).liveSession(sessionId(1)))?.checkpoint).toBe(9)
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
          expect((await appendOne(sampleAppend({ after: n - 1, events: [one.raised(ask)] }))).ok).toBe(true)
        }
        await reloaded()
        n = 0
        for (const value of texts) {
          const key = { sessionId: sessionId(1), epoch: 1 }
          const id = askId(++n)
          expect((await store.askByRequest({ ...key, requestId: value }))?.ask).toMatchObject({ id, title: value })
          expect((await store.askByToolUse({ ...key, toolUseId: value }))?.ask.id).toBe(id)
        }
        expect((await store.verify()).fault).toBeUndefined()
      })
    })

    describe('events and follow', () => {
      async function fill(): Promise<void> {
        for (let n = 1; n <= 5; n++) {
          await appendOne(sampleAppend({ n: 1, after: n - 1, events: [one.added(sampleMessage(n))] }))
          await appendOne(sampleAppend({ n: 2, after: n - 1, events: [two.added(sampleMessage(n))] }))
        }
      }

      it('reads pages after a place, of all sessions or one', async () => {
        await fill()
        const seqs = (page: readonly Stored[]) => page.map(({ seq }) => seq)
        expect(seqs(await store.events({ after: 3, limit: 4 }))).toEqual([4, 5, 6, 7])
        expect(seqs(await store.events({ after: 3, limit: 3, sessionId: sessionId(2) }))).toEqual([4, 6, 8])
        expect(await store.events({ after: 10, limit: 4 })).toEqual([])
      })

      it('F58 ends a page of events soon after it has so many characters, and goes on from there', async () => {
        const texts = Array.from({ length: 30 }, (_, n) => one.added(sampleMessage(n + 1, { text: 'x'.repeat(1000) })))
        await appendOne(sampleAppend({ after: 0, events: texts }))
        for (const session of [{}, { sessionId: sessionId(1) }]) {
          const found: number[] = []
          for (let pages = 0; found.length < 30; pages++) {
            const page = await store.events({ ...session, after: found.at(-1) ?? 0, limit: 100, size: 1500 })
            expect(page.length).toBeGreaterThan(0)
            expect(page.length).toBeLessThanOrEqual(10)
            found.push(...page.map(({ seq }) => seq))
            expect(pages).toBeLessThan(30)
          }
          expect(found).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
        }
      })

      it("reads one session's events from among thousands of another's", async () => {
        await appendOne(sampleAppend({ n: 1, after: 0, events: [one.added(sampleMessage(1))] }))
        const others = Array.from({ length: 6000 }, (_, n) => two.added(sampleMessage(n + 1)))
        await appendOne(sampleAppend({ n: 2, after: 0, events: others }))
        const more = [2, 3, 4].map((n) => one.added(sampleMessage(n)))
        await appendOne(sampleAppend({ n: 1, after: 1, events: more }))
        const page = await store.events({ after: 0, limit: 3, sessionId: sessionId(1) })
        expect(page.map(({ seq, sessionSeq }) => [seq, sessionSeq])).toEqual([
          [1, 1],
          [6002, 2],
          [6003, 3],
        ])
      })

      it('follows from a place through what exists into what comes, without gap or repeat (I7)', async () => {
        await fill()
        const stop = new AbortController()
        const seen: number[] = []
        const following = (async () => {
          for await (const { seq } of store.follow(2, { signal: stop.signal })) {
            seen.push(seq)
            if (seq === 10) await appendOne(sampleAppend({ after: 5, events: [one.added(sampleMessage(6))] }))
            if (seq === 11) queueMicrotask(() => void appendOne(sampleAppend({ after: 6, events: [one.started()] })))
            if (seq === 12) stop.abort()
          }
        })()
        await following
        expect(seen).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
      })

      it('ends a waiting follower when it is aborted and when the store closes', async () => {
        const stop = new AbortController()
        const collect = async (signal: AbortSignal) => {
          const seen: number[] = []
          for await (const { seq } of store.follow(0, { signal })) seen.push(seq)
          return seen
        }
        const aborted = collect(stop.signal)
        const closed = collect(new AbortController().signal)
        await appendOne(sampleAppend({ after: 0, events: [one.started()] }))
        stop.abort()
        await aborted
        await store.close()
        expect(await closed).toEqual([1])
      })
    })

    describe('a session after a restart', () => {
      it('has its open asks, its undelivered outcomes, rules and messages', async () => {
        await appendOne(
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
        await reloaded()
        const live = await store.liveSession(sessionId(1))
        expect(live).toEqual({
          session: sampleSession(1, { epoch: 2, openAsks: 2 }),
          seq: 22,
          checkpoint: 41,
          asks: [sampleAsk(1), sampleAsk(3, { epoch: 2 })],
          undelivered: new Map([
            [askId(4), { epoch: 2, requestId: sampleAsk(4).requestId, kind: SAMPLE_OUTCOME.kind }],
          ]),
          rules: [sampleRule(2)],
          messages: [sampleMessage(2, { status: 'sent' }), sampleMessage(4, { status: 'queued' })],
        })
        expect(await store.liveSessions()).toEqual([live])
        const settled = sampleAppend({ after: 22, events: [one.settled(1)], session: { epoch: 2 } })
        expect((await appendOne(settled)).ok).toBe(true)
        expect((await store.verify()).fault).toBeUndefined()
      })

      it('T61 has the rules of its life alone, and those of older versions, which have none', async () => {
        const rules = [sampleRule(1), { ...sampleRule(2), epoch: 1 }, { ...sampleRule(3), epoch: 2 }]
        const events = rules.map((rule) => one.ruleAdded(rule))
        const session = sampleSession(1, { epoch: 2 })
        await appendOne(sampleAppend({ after: 0, events: [one.started(session), ...events], session }))
        await reloaded()
        expect((await store.liveSession(sessionId(1)))?.rules.map(({ id }) => id)).toEqual([ruleId(1), ruleId(3)])
        expect((await store.liveSessions())[0]?.rules).toHaveLength(2)
      })

      it('leaves dead sessions out of the live ones, and can still be gone on with', async () => {
        const dead = sampleSession(1, { state: 'dead' })
        await appendOne(sampleAppend({ after: 0, events: [one.started(dead)], session: dead }))
        await appendOne(sampleAppend({ n: 2, after: 0, events: [two.started()] }))
        expect((await store.liveSessions()).map(({ session }) => session.id)).toEqual([sessionId(2)])
        expect((await store.liveSession(sessionId(1)))?.seq).toBe(1)
        expect(await store.liveSession(sessionId(3))).toBeUndefined()
        const alive = one.started()
        expect((await appendOne(sampleAppend({ after: 1, events: [alive] }))).ok).toBe(true)
        expect(await store.liveSessions()).toHaveLength(2)
      })
    })

    describe('lists', () => {
      it('F55 gives ended sessions by newest activity, page by page, each once', async () => {
        // Of several with the same time the later id is the newer one.
        const times = [100, 300, 200, 300, 300, 50, 400]
        for (const [index, at] of times.entries()) {
          const n = index + 1
          const append = sampleAppend({ n, after: 0, events: [eventsOf(n, at).started()] })
          const changes = n === times.length ? {} : { state: 'dead' as const, projectId: `project ${n % 2}` }
          await appendOne({ ...append, session: { ...append.session, ...changes } })
        }
        const expected = [5, 4, 2, 3, 1, 6].map(sessionId)
        for (const limit of [1, 2, 3, 6, 100]) {
          const ids: string[] = []
          for (let before: string | undefined; ; ) {
            const page = await store.endedSessions({ limit, ...(before !== undefined && { before }) })
            expect(page.sessions.length).toBeLessThanOrEqual(limit)
            ids.push(...page.sessions.map(({ id }) => id))
            before = page.nextBefore
            if (before === undefined) break
          }
          expect(ids).toEqual(expected)
        }
        const { sessions } = await store.endedSessions({ limit: 2, projectId: 'project 1' })
        expect(sessions.map(({ id }) => id)).toEqual([5, 3].map(sessionId))
        expect(await store.session(sessionId(9))).toBeUndefined()
      })

      it('finds the ended sessions of a conversation', async () => {
        for (const n of [1, 2, 3]) {
          const append = sampleAppend({ n, after: 0, events: [eventsOf(n, n * 100).started()] })
          const state = n === 3 ? 'user_turn' : 'dead'
          await appendOne({ ...append, session: { ...append.session, state, vendorSessionId: 'conversation' } })
        }
        const ids = (await store.endedSessionsOf('conversation')).map(({ id }) => id)
        expect(ids).toEqual([sessionId(2), sessionId(1)])
        expect(await store.endedSessionsOf('another')).toEqual([])
      })

      it('F55 gives settled asks page by page, each once', async () => {
        const events = [1, 2, 3, 4, 5].map((n) => one.raised(sampleAsk(n)))
        await appendOne(sampleAppend({ after: 0, events: [...events, ...[2, 4, 1, 3].map((n) => one.settled(n))] }))
        const found: number[] = []
        for (let before: AskId | undefined; ; ) {
          const page = await store.asks({ status: 'settled', limit: 3, ...(before && { before }) })
          found.push(...page.map(({ ask }) => Number(ask.id.slice(4))))
          before = page.at(-1)?.ask.id
          if (page.length < 3) break
        }
        expect(found).toEqual([3, 1, 4, 2])
      })

      it('F58 reads no more settled asks for a page than have so many characters, and one in any case', async () => {
        const large = { tool: { name: 'Write', input: { content: 'x'.repeat(1000) } } }
        const raised = [1, 2, 3, 4, 5].map((n) => one.raised(sampleAsk(n, large)))
        await appendOne(sampleAppend({ after: 0, events: [...raised, ...[1, 2, 3, 4].map((n) => one.settled(n))] }))
        const numbers = async (query: Parameters<Store['asks']>[0]) =>
          (await store.asks(query)).map(({ ask }) => Number(ask.id.slice(4)))
        expect(await numbers({ status: 'settled', limit: 9, size: 1 })).toEqual([4])
        expect(await numbers({ status: 'settled', limit: 9, size: 2000 })).toEqual([4, 3])
        expect(await numbers({ status: 'settled', limit: 9, size: 2000, before: askId(3) })).toEqual([2, 1])
        expect(await numbers({ status: 'all', limit: 9, size: 2000 })).toEqual([5, 4, 3])
        expect(await numbers({ status: 'settled', limit: 1, size: 2000 })).toEqual([4])
      })

      it('gives open asks oldest first, then settled ones newest first', async () => {
        const raised = [1, 2, 3, 4, 5, 6].map((n) => one.raised(sampleAsk(n)))
        const settled = [5, 2, 4].map((n) => one.settled(n))
        await appendOne(sampleAppend({ after: 0, events: [...raised, ...settled] }))
        await appendOne(sampleAppend({ n: 2, after: 0, events: [two.raised(sampleAsk(7))] }))
        const numbers = async (query: Parameters<Store['asks']>[0]) =>
          (await store.asks(query)).map(({ ask }) => Number(ask.id.slice(4)))
        expect(await numbers({ status: 'open', limit: 100 })).toEqual([1, 3, 6, 7])
        expect(await numbers({ status: 'settled', limit: 2 })).toEqual([4, 2])
        expect(await numbers({ status: 'all', limit: 6 })).toEqual([1, 3, 6, 7, 4, 2])
        expect(await numbers({ status: 'all', limit: 100, sessionId: sessionId(1) })).toEqual([1, 3, 6, 4, 2, 5])
        expect(await numbers({ status: 'open', limit: 100, sessionId: sessionId(2) })).toEqual([7])
        expect(await numbers({ status: 'all', limit: 100, sessionId: sessionId(3) })).toEqual([])
      })

      it('finds an ask by id, by request and by the newest of its tool use', async () => {
        await appendOne(
          sampleAppend({
            after: 0,
            events: [
              one.raised(sampleAsk(1, { toolUseId: 'same' })),
              one.raised(sampleAsk(2, { toolUseId: 'same' })),
              one.raised(sampleAsk(3, { toolUseId: 'same', epoch: 2 })),
            ],
          }),
        )
        const key = { sessionId: sessionId(1), epoch: 1 }
        expect((await store.ask(askId(1)))?.ask.id).toBe(askId(1))
        expect((await store.askByRequest({ ...key, requestId: 'request-2' }))?.ask.id).toBe(askId(2))
        expect(await store.askByRequest({ ...key, epoch: 2, requestId: 'request-2' })).toBeUndefined()
        expect((await store.askByToolUse({ ...key, toolUseId: 'same' }))?.ask.id).toBe(askId(2))
        expect(await store.askByToolUse({ ...key, sessionId: sessionId(2), toolUseId: 'same' })).toBeUndefined()
        expect(await store.ask(askId(9))).toBeUndefined()
      })

      it('has room for another ask of a request once the last was withdrawn as changed, and for no more', async () => {
        const same = { requestId: 'request', toolUseId: 'call' }
        const changed = { kind: 'withdrawn', at: 1, via: 'gateway', reason: 'changed' } as const
        await appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1, same))] }))
        const again = (after: number, n: number) =>
          appendOne(sampleAppend({ after, events: [one.raised(sampleAsk(n, same))] }))
        expect(await again(1, 2)).toMatchObject({ ok: false })
        await appendOne(sampleAppend({ after: 1, events: [one.settled(1, changed), one.raised(sampleAsk(2, same))] }))
        expect(await again(3, 3)).toMatchObject({ ok: false })
        await reloaded()
        const key = { sessionId: sessionId(1), epoch: 1 }
        const newest = async () => [
          (await store.askByRequest({ ...key, requestId: 'request' }))?.ask.id,
          (await store.askByToolUse({ ...key, toolUseId: 'call' }))?.ask.id,
        ]
        expect(await newest()).toEqual([askId(2), askId(2)])
        const first = await store.firstAskByToolUse({ sessionId: sessionId(1), toolUseId: 'call' })
        expect(first).toMatchObject({ ask: { id: askId(1) }, outcome: changed })
        await appendOne(sampleAppend({ after: 3, events: [one.settled(2, changed)] }))
        expect(await newest()).toEqual([askId(2), askId(2)])
        expect(await again(4, 3)).toMatchObject({ ok: true })
        await appendOne(sampleAppend({ after: 5, events: [one.settled(3)] }))
        expect(await again(6, 4)).toMatchObject({ ok: false })
        expect(await newest()).toEqual([askId(3), askId(3)])
        const { items } = await store.items({ sessionId: sessionId(1), limit: 10 })
        expect(items.map(({ type }) => type)).toEqual(['ask', 'ask', 'ask'])
        expect((await store.asks({ status: 'all', limit: 10 })).map(({ ask }) => ask.id)).toEqual([3, 2, 1].map(askId))
        expect((await store.verify()).fault).toBeUndefined()
      })

      it("finds the agent's own ask of a tool use, looked for before or from an earlier start", async () => {
        const key = { sessionId: sessionId(1), epoch: 1 }
        await appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1, { toolUseId: 'first' }))] }))
        expect(await store.askByToolUse({ ...key, toolUseId: 'second' })).toBeUndefined()
        await appendOne(sampleAppend({ after: 1, events: [one.raised(sampleAsk(2, { toolUseId: 'second' }))] }))
        const raised = sampleAsk(3, { toolUseId: 'second', raisedBy: deviceId(1) })
        await appendOne(sampleAppend({ after: 2, events: [one.raised(raised)] }))
        expect((await store.askByToolUse({ ...key, toolUseId: 'second' }))?.ask.id).toBe(askId(2))
        const again = sampleAsk(4, { toolUseId: 'first', epoch: 2 })
        await appendOne(sampleAppend({ after: 3, events: [one.raised(again)] }))
        const first = (toolUseId: string) => store.firstAskByToolUse({ sessionId: sessionId(1), toolUseId })
        expect((await first('first'))?.ask.id).toBe(askId(1))
        expect((await first('second'))?.ask.id).toBe(askId(2))
        expect(await first('third')).toBeUndefined()
        await reloaded()
        expect((await store.askByToolUse({ ...key, toolUseId: 'first' }))?.ask.id).toBe(askId(1))
        expect((await store.askByToolUse({ ...key, toolUseId: 'second' }))?.ask.id).toBe(askId(2))
      })

      it('pages a thread from its end to its beginning', async () => {
        const events = [1, 2, 3, 4, 5].map((n) => one.added(sampleMessage(n)))
        await appendOne(sampleAppend({ after: 0, events }))
        const pages: string[][] = []
        let before: number | undefined
        do {
          const page = await store.items({ sessionId: sessionId(1), limit: 2, ...(before && { before }) })
          pages.push(page.items.map(({ id }) => id))
          before = page.nextBefore
        } while (before !== undefined)
        expect(pages).toEqual([[itemId(4), itemId(5)], [itemId(2), itemId(3)], [itemId(1)]])
        expect(await store.items({ sessionId: sessionId(2), limit: 2 })).toEqual({ items: [] })
        expect((await store.items({ sessionId: sessionId(1), limit: 5 })).nextBefore).toBeUndefined()
      })

      it('F58 ends a page of a thread with the item with which it has so many characters', async () => {
        const large = { tool: { name: 'Write', input: { content: 'x'.repeat(1000) } } }
        const messages = [1, 2, 3].map((n) => one.added(sampleMessage(n, { text: 'x'.repeat(n === 2 ? 5000 : 1000) })))
        await appendOne(sampleAppend({ after: 0, events: [one.raised(sampleAsk(1, large)), ...messages] }))
        const pages: string[][] = []
        let before: number | undefined
        do {
          const page = await store.items({ sessionId: sessionId(1), limit: 9, size: 1500, ...(before && { before }) })
          pages.push(page.items.map((item) => (item.type === 'ask' ? item.askId : item.id)))
          before = page.nextBefore
        } while (before !== undefined)
        // An ask counts as what is read for it.
        expect(pages).toEqual([
          [itemId(2), itemId(3)],
          [askId(1), itemId(1)],
        ])
        expect((await store.items({ sessionId: sessionId(1), limit: 9, size: 1 })).items).toHaveLength(1)
      })

      it('gives an item with its newest status', async () => {
        const message = sampleMessage(1, { status: 'queued' })
        await appendOne(sampleAppend({ after: 0, events: [one.added(message), one.changed(1, 'cancelled')] }))
        const { items } = await store.items({ sessionId: sessionId(1), limit: 5 })
        expect(items).toEqual([{ ...message, status: 'cancelled' }])
        expect(await store.item({ sessionId: sessionId(1), id: itemId(1) })).toEqual(items[0])
      })

      it('gives one item by its id, and only to its own session', async () => {
        await appendOne(sampleAppend({ after: 0, events: [one.added(sampleMessage(1)), one.added(sampleMessage(2))] }))
        await reloaded()
        expect(await store.item({ sessionId: sessionId(1), id: itemId(2) })).toEqual(sampleMessage(2))
        expect(await store.item({ sessionId: sessionId(1), id: itemId(3) })).toBeUndefined()
        expect(await store.item({ sessionId: sessionId(2), id: itemId(2) })).toBeUndefined()
      })

      it('shows asks in the thread, in their place', async () => {
        const events = [one.added(sampleMessage(1)), one.raised(sampleAsk(1)), one.added(sampleMessage(2))]
        await appendOne(sampleAppend({ after: 0, events }))
        const { items } = await store.items({ sessionId: sessionId(1), limit: 5 })
        expect(items.map(({ type }) => type)).toEqual(['message', 'ask', 'message'])
        expect(items[1]).toEqual(askItem(sampleAsk(1)))
        const newest = await store.items({ sessionId: sessionId(1), limit: 2 })
        expect(newest.items).toEqual(items.slice(1))
      })
    })

    it('keeps records by collection and key, and lets one taker have a record', async () => {
      await store.records.put('devices', 'b', { role: 'owner' })
      await store.records.put('devices', 'a\0', null)
      await store.records.put('devices', 'b', { role: 'viewer' })
      await store.records.put('codes', 'b', [1])
      await reloaded()
      expect(await store.records.get('devices', 'b')).toEqual({ role: 'viewer' })
      expect(await store.records.get('devices', 'c')).toBeUndefined()
      expect(await store.records.list('devices')).toEqual([
        { key: 'b', value: { role: 'viewer' } },
        { key: 'a\0', value: null },
      ])
      expect(await Promise.all([store.records.remove('codes', 'b'), store.records.remove('codes', 'b')])).toEqual([
        true,
        false,
      ])
      expect(await store.records.list('codes')).toEqual([])
      await expect(store.records.put('devices', 'd', undefined)).rejects.toThrow(TypeError)
    })

    it('verifies what it wrote, and the same log gives the same head (I9)', async () => {
      expect(await store.verify()).toMatchObject({ events: 0, sessions: 0 })
      await appendOne(sampleAppend({ after: 0, events: [one.started(), one.raised(sampleAsk(1))] }))
      await appendOne(sampleAppend({ n: 2, after: 0, events: [two.started()] }))
      const report = await store.verify()
      expect(report).toEqual({ events: 3, sessions: 2, head: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(await (await reloaded()).verify()).toEqual(report)
      const other = await create()
      await other.store.append([
        sampleAppend({ n: 2, after: 0, events: [two.started()] }),
        sampleAppend({ after: 0, events: [one.started(), one.raised(sampleAsk(1))] }),
      ])
      expect((await other.store.verify()).head).toBe(report.head)
      await other.dispose()
      await appendOne(sampleAppend({ after: 2, events: [one.settled(1)] }))
      expect((await store.verify()).head).not.toBe(report.head)
    })

    it('refuses every call once closed', async () => {
      await store.close()
      await store.close()
      const calls: (() => Promise<unknown>)[] = [
        () => store.append([sampleAppend({ after: 0, events: [one.started()] })]),
        () => store.events({ after: 0, limit: 1 }),
        () => store.follow(0, { signal: new AbortController().signal })[Symbol.asyncIterator]().next(),
        () => store.lastSeq(),
        () => store.liveSessions(),
        () => store.endedSessions({ limit: 1 }),
        () => store.endedSessionsOf('conversation'),
        () => store.hashAt(1),
        () => store.ask(askId(1)),
        () => store.asks({ status: 'all', limit: 1 }),
        () => store.items({ sessionId: sessionId(1), limit: 1 }),
        () => store.item({ sessionId: sessionId(1), id: itemId(1) }),
        () => store.records.get('a', 'b'),
        () => store.records.put('a', 'b', 1),
        () => store.verify(),
      ]
      for (const call of calls) {
        const fault = await call().catch((error: unknown) => error)
        expect(fault).toBeInstanceOf(StoreFault)
        expect(fault).toMatchObject({ code: 'closed' })
      }
    })
  })
}
