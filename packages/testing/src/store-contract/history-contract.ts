import type { HistorySearch, LetThroughQuery } from '@holdpoint/core/history'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import {
  askId,
  eventsOf,
  PHONE,
  ruleId,
  SAMPLE_OUTCOME,
  sampleAppend,
  sampleAsk,
  sampleMessage,
  sampleSession,
  sessionId,
} from './store-samples.ts'
import type { StoreWorld } from './store-world.ts'

const NODE = 'nod_00000000000000000000000001'
const OTHER_NODE = 'nod_00000000000000000000000002'
/** The first session names no machine, and has a title that looks as if it did. */
const PLACES: Readonly<Record<number, Partial<Session>>> = {
  1: { title: `","node":"${NODE}` },
  2: { node: NODE },
  3: { node: OTHER_NODE },
}

const by = (device: string): Outcome['by'] => ({ device, name: `The ${device}`, role: 'owner' })

/** Three sessions in two folders; the asks 1 to 6 are settled at the times 1 to 6, the ask 7 is open. */
async function fill(world: StoreWorld): Promise<void> {
  const session = (n: number, cwd: string, asks: readonly (readonly [number, Partial<Outcome>])[]) => {
    const events = eventsOf(n)
    const given = { cwd, ...PLACES[n] }
    return world.appendOne(
      sampleAppend({
        n,
        after: 0,
        session: given,
        events: [
          events.started(sampleSession(n, given)),
          ...asks.flatMap(([ask, outcome]) => [
            events.raised(ASKS[ask] ?? sampleAsk(ask)),
            ...('kind' in outcome ? [events.settled(ask, { via: 'web', at: ask, ...outcome } as Outcome)] : []),
          ]),
        ],
      }),
    )
  }
  await session(1, '/srv/shop', [
    [1, { kind: 'allowed', by: by('phone') }],
    [2, { kind: 'denied', by: by('laptop'), answer: { kind: 'deny', message: 'Not on a Friday, ÄRGER' } }],
  ])
  await session(2, '/srv/shop', [
    [3, { kind: 'allowed', via: 'rule', rule: ruleId(5), by: by('phone') }],
    [4, { kind: 'withdrawn', via: 'gateway', reason: 'interrupted' }],
  ])
  await session(3, '/srv/docs', [
    [5, { kind: 'answered', by: by('laptop') }],
    [6, { kind: 'allowed', by: by('phone'), via: 'rule', rules: [ruleId(8), ruleId(5)] }],
    [7, {}],
  ])
}

const settleSeven = (world: StoreWorld) =>
  world.appendOne(
    sampleAppend({
      n: 3,
      after: 6,
      session: { cwd: '/srv/docs', ...PLACES[3] },
      events: [eventsOf(3).settled(7, { ...SAMPLE_OUTCOME, at: 7 })],
    }),
  )

const bash = (command: string) => ({
  title: `Bash: ${command}`,
  tool: { name: 'Bash', input: { command } },
  context: { cwd: '/', command },
})
const ASKS: Readonly<Record<number, ReturnType<typeof sampleAsk>>> = {
  1: sampleAsk(1, bash('git status --short')),
  2: sampleAsk(2, bash('git push origin main')),
  3: sampleAsk(3, bash('npm test')),
  4: sampleAsk(4, {
    title: 'Edit a file',
    tool: { name: 'Edit', input: {} },
    context: { filePath: '/srv/shop/src/Git.ts' },
  }),
  5: sampleAsk(5, {
    kind: 'question',
    title: 'A question',
    tool: { name: 'AskUserQuestion', input: {} },
    questions: [{ question: 'Which Database?', options: [], multiSelect: false }],
  }),
  6: sampleAsk(6, {
    title: 'Fetch',
    tool: { name: 'WebFetch', input: {} },
    context: { url: 'https://example.com/a_b%20c' },
  }),
  7: sampleAsk(7, bash('git log')),
}

/** The search over what was settled. */
export function historyContract(world: StoreWorld): void {
  describe('history', () => {
    const found = async (filter: HistorySearch) =>
      (await world.store.history({ limit: 100, ...filter })).records.map(({ ask }) => Number(ask.id.slice(4)))

    it('finds settled asks by words, tool, project, device, outcome, rule, machine and time, newest first', async () => {
      await fill(world)
      expect(await found({})).toEqual([6, 5, 4, 3, 2, 1])
      expect(await found({ words: ['git'] })).toEqual([4, 2, 1])
      expect(await found({ words: ['origin', 'git'] })).toEqual([2])
      expect(await found({ words: ['ärger'] })).toEqual([2])
      expect(await found({ words: ['database'] })).toEqual([5])
      // Nothing stands for other letters.
      expect(await found({ words: ['a_b%20c'] })).toEqual([6])
      expect(await found({ words: ['a_b_20c'] })).toEqual([])
      expect(await found({ words: ['git%'] })).toEqual([])
      expect(await found({ tool: 'Bash' })).toEqual([3, 2, 1])
      expect(await found({ project: '/srv/docs' })).toEqual([6, 5])
      expect(await found({ device: 'laptop' })).toEqual([5, 2])
      expect(await found({ outcome: 'withdrawn' })).toEqual([4])
      expect(await found({ rule: ruleId(5) })).toEqual([6, 3])
      expect(await found({ rule: ruleId(8) })).toEqual([6])
      expect(await found({ rule: 'rul' })).toEqual([])
      expect(await found({ from: 2, to: 5 })).toEqual([4, 3, 2])
      expect(await found({ nodes: [NODE] })).toEqual([4, 3])
      expect(await found({ nodes: [OTHER_NODE, ''] })).toEqual([6, 5, 2, 1])
      expect(await found({ nodes: [''], words: ['git'], outcome: 'denied' })).toEqual([2])
      expect(await found({ nodes: [] })).toEqual([])
      expect(await found({ words: ['git'], tool: 'Bash', outcome: 'denied', project: '/srv/shop' })).toEqual([2])
      expect(await found({ sessionIds: [sessionId(1), sessionId(3)], device: 'phone' })).toEqual([6, 1])
      expect(await found({ sessionIds: [] })).toEqual([])
    })

    it('finds what was settled since the last search, and after a restart', async () => {
      await fill(world)
      expect(await found({ words: ['log'] })).toEqual([])
      await settleSeven(world)
      expect(await found({ words: ['log'] })).toEqual([7])
      await world.reloaded()
      expect(await found({})).toEqual([7, 6, 5, 4, 3, 2, 1])
      await world.store.indexHistory({ pause: async () => {} })
      expect((await world.store.verify()).fault).toBeUndefined()
    })

    it('counts what rules let through, and no person’s answer', async () => {
      const settled = (ask: number, outcome: Partial<Outcome>) =>
        eventsOf(4).settled(ask, { kind: 'allowed', via: 'rule', at: ask, ...outcome } as Outcome)
      await fill(world)
      await world.appendOne(
        sampleAppend({
          n: 4,
          after: 0,
          session: {},
          events: [
            eventsOf(4).started(sampleSession(4)),
            ...[11, 12, 13, 14, 15].map((ask) => eventsOf(4).raised(sampleAsk(ask, { sessionId: sessionId(4) }))),
            settled(11, { rules: [ruleId(8)] }),
            settled(12, { rules: [ruleId(8), ruleId(9)] }),
            settled(13, { kind: 'denied', rules: [ruleId(9)] }),
            settled(14, { via: 'web', by: by('phone'), rule: ruleId(7) }),
            settled(15, { rule: ruleId(5) }),
          ],
        }),
      )
      const counted = async (query: Omit<LetThroughQuery, 'to'>) => {
        const { calls, rules } = await world.store.letThrough({ to: 100, ...query })
        const byRule = rules.map(({ rule, calls: of, latest }) => [Number(rule.slice(4)), of, Number(latest.slice(4))])
        return { calls, rules: byRule.toSorted(([a = 0], [b = 0]) => a - b) }
      }
      const all = [
        [5, 1, 15],
        [8, 2, 12],
        [9, 1, 12],
      ]
      expect(await counted({ from: 0 })).toEqual({ calls: 3, rules: all })
      expect(await counted({ from: 12, sessionIds: [sessionId(4)] })).toEqual({
        calls: 2,
        rules: [
          [5, 1, 15],
          [8, 1, 12],
          [9, 1, 12],
        ],
      })
      expect((await world.store.letThrough({ from: 0, to: 15 })).calls).toBe(2)
      expect(await counted({ from: 0, sessionIds: [sessionId(1)] })).toEqual({ calls: 0, rules: [] })
    })

    it('gives pages whose places stay where they are while asks are settled, each ask once', async () => {
      await fill(world)
      for (const limit of [1, 2, 3, 6, 100]) {
        const ids: number[] = []
        for (let before: number | undefined; ; ) {
          const page = await world.store.history({ limit, ...(before !== undefined && { before }) })
          expect(page.records.length).toBeLessThanOrEqual(limit)
          ids.push(...page.records.map(({ ask }) => Number(ask.id.slice(4))))
          before = page.next
          if (before === undefined) break
        }
        expect(ids).toEqual([6, 5, 4, 3, 2, 1])
      }
      const first = await world.store.history({ limit: 2 })
      await settleSeven(world)
      const second = await world.store.history({ limit: 2, before: first.next ?? 0 })
      expect(second.records.map(({ ask }) => ask.id)).toEqual([askId(4), askId(3)])
    })

    it('F58 ends a page with the ask with which it has so many characters', async () => {
      await fill(world)
      const page = await world.store.history({ limit: 100, size: 1 })
      expect(page.records.map(({ ask }) => ask.id)).toEqual([askId(6)])
      const rest = await world.store.history({ limit: 100, before: page.next ?? 0 })
      expect(rest.records).toHaveLength(5)
    })

    it('gives each ask whole, with the place and the hash of its outcome in the log', async () => {
      await fill(world)
      const { records } = await world.store.history({ limit: 1, words: ['push'] })
      const [record] = records
      expect(record?.ask).toEqual({ ...ASKS[2], sessionId: sessionId(1) })
      expect(record?.outcome).toMatchObject({ kind: 'denied', by: by('laptop') })
      expect(await world.store.hashAt(record?.seq ?? 0)).toBe(record?.hash)
    })

    it('names every tool, folder and device that a filter can be about', async () => {
      await fill(world)
      const devices = [
        { id: 'laptop', name: 'The laptop' },
        { id: 'phone', name: 'The phone' },
      ]
      expect(await world.store.historyChoices({})).toEqual({
        tools: ['AskUserQuestion', 'Bash', 'Edit', 'WebFetch'],
        projects: ['/srv/docs', '/srv/shop'],
        devices,
      })
      expect(await world.store.historyChoices({ sessionIds: [sessionId(2)] })).toEqual({
        tools: ['Bash', 'Edit'],
        projects: ['/srv/shop'],
        devices: [{ id: 'phone', name: 'The phone' }],
      })
    })

    it('says who was told of an ask, who saw it and when, and where the chain of its session ends', async () => {
      const [before, after] = [eventsOf(1, 10), eventsOf(1, 20)]
      const talk = Array.from({ length: 700 }, (_, n) => before.added(sampleMessage(n + 1)))
      await world.appendOne(
        sampleAppend({
          after: 0,
          events: [
            before.started(),
            before.raised(sampleAsk(1)),
            before.raised(sampleAsk(2)),
            before.notified([1, 2], 'sent'),
            before.seen(1, 'phone'),
            before.seen(2, 'phone'),
            ...talk,
            after.notified([1], 'shown'),
            after.seen(1, 'laptop'),
            after.settled(1),
          ],
        }),
      )
      const trail = await world.store.askTrail(askId(1))
      expect(trail?.sightings).toEqual([
        { by: by('phone'), at: 10 },
        { by: by('laptop'), at: 20 },
      ])
      expect(trail?.notified).toEqual([
        { to: PHONE, step: 'sent', at: 10 },
        { to: PHONE, step: 'shown', at: 20 },
      ])
      const last = (await world.allEvents()).at(-1)
      expect(trail?.settled).toEqual({ seq: last?.seq, hash: last?.hash })
      expect(trail?.head).toEqual({ sessionSeq: last?.sessionSeq, hash: last?.hash })
      const open = await world.store.askTrail(askId(2))
      expect(open?.sightings).toEqual([{ by: by('phone'), at: 10 }])
      expect(open?.notified).toEqual([{ to: PHONE, step: 'sent', at: 10 }])
      expect(open?.settled).toBeUndefined()
      expect(await world.store.askTrail(askId(3))).toBeUndefined()
    })
  })
}
