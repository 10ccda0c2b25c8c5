import { randomBytes } from 'node:crypto'
import type { Records, Store } from '@holdpoint/core/store'
import type { NewRule } from '@holdpoint/schema/endpoints/policy'
import { idMaker } from '@holdpoint/schema/id'
import type { Actor } from '@holdpoint/schema/outcome'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { openTestStore } from '@holdpoint/testing/test-store'
import { describe, expect, it, vi } from 'vitest'
import { followRecords } from '../cluster/followed-records.ts'
import { recordsOfNode } from '../cluster/node-records.ts'
import { createPolicyRules, type PolicyRulesDeps } from './policy-rules.ts'

const BY: Actor = { device: 'dev_1', name: 'Laptop', role: 'owner' }
const LS: NewRule = { effect: 'allow', agent: '*', pattern: 'Bash(ls *)', scope: { kind: 'everywhere' } }

async function setUp(
  given?: Store,
  check: (rule: PolicyRule) => string | undefined = () => undefined,
  isAnswered = async () => false,
) {
  const store = given ?? (await openTestStore())
  const warn = vi.fn()
  const newId = idMaker({ now: () => 1_000, randomBytes })
  return {
    store,
    open: (shared: Partial<Pick<PolicyRulesDeps, 'records' | 'ownRecords'>> = {}) =>
      createPolicyRules({
        records: store.records,
        ownRecords: store.records,
        ...shared,
        newId,
        now: () => 1_000,
        epochOf: () => 1,
        check,
        isAnswered,
        warn,
      }),
  }
}

async function added(rules: Awaited<ReturnType<Awaited<ReturnType<typeof setUp>>['open']>>, rule: NewRule = LS) {
  const result = await rules.add(rule, BY)
  return result.ok ? result.rule : expect.fail(JSON.stringify(result))
}

describe('rules of the policy', () => {
  it('are there again after a restart, with who made them and when', async () => {
    const { open } = await setUp()
    const rule = await added(await open())
    expect(rule).toMatchObject({ ...LS, by: BY, at: 1_000, revision: 0 })
    expect((await open()).list()).toEqual([rule])
  })

  it('are refused with the reason that the check gives', async () => {
    const { open } = await setUp(undefined, ({ pattern }) => (pattern === 'Bash(' ? 'A bracket is open.' : undefined))
    const rules = await open()
    const refusal = { code: 'invalid', why: 'A bracket is open.' }
    expect(await rules.add({ ...LS, pattern: 'Bash(' }, BY)).toEqual({ ok: false, refusal })
    const rule = await added(rules)
    expect(await rules.change(rule.id, 0, { ...LS, pattern: 'Bash(' }, BY)).toEqual({ ok: false, refusal })
    expect(rules.list()).toEqual([rule])
  })

  it('are changed by one of two who edit the same revision, and the other is told', async () => {
    const { open } = await setUp()
    const rules = await open()
    const { id } = await added(rules)
    const edits = ['Bash(ls)', 'Bash(ls -l)'].map((pattern) => rules.change(id, 0, { ...LS, pattern }, BY))
    const [first, second] = await Promise.all(edits)
    expect(first).toMatchObject({ ok: true, rule: { pattern: 'Bash(ls)', revision: 1 } })
    expect(second).toEqual({ ok: false, refusal: { code: 'stale' } })
    expect((await open()).list()).toMatchObject([{ pattern: 'Bash(ls)', revision: 1 }])
  })

  it('T33 are not changed by who has an older revision than another gateway has made since', async () => {
    const { store, open } = await setUp()
    const other = await open()
    const { id } = await added(other)
    // Nobody tells this one what the other one does.
    const { open: openApart } = await setUp({ ...store, records: { ...store.records, follow: () => {} } as Records })
    const rules = await openApart()
    await other.change(id, 0, { ...LS, pattern: 'Bash(ls)' }, BY)
    expect(rules.list()).toMatchObject([{ revision: 0 }])
    expect(await rules.change(id, 0, LS, BY)).toEqual({ ok: false, refusal: { code: 'stale' } })
    expect(rules.list()).toMatchObject([{ pattern: 'Bash(ls)', revision: 1 }])
  })

  it('T33 are changed by one of two gateways at the same moment, and one that is removed meanwhile does not come back', async () => {
    const { store } = await setUp()
    const readers: (() => void)[] = []
    let isHolding = false
    // Both have read the rule before either of them writes.
    const together = (count: number) => ({
      ...store.records,
      follow: () => {},
      async get(...given: Parameters<Records['get']>) {
        const value = await store.records.get(...given)
        if (!isHolding) return value
        const released = new Promise<void>((resolve) => readers.push(resolve))
        if (readers.length >= count) for (const go of readers.splice(0)) go()
        await released
        isHolding = false
        return value
      },
    })
    const records = together(2)
    const [a, b] = [
      await (await setUp({ ...store, records })).open(),
      await (await setUp({ ...store, records })).open(),
    ]
    const { id } = await added(a)
    isHolding = true
    const edits = [a, b].map((rules, n) => rules.change(id, 0, { ...LS, pattern: `Bash(ls ${n})` }, BY))
    expect((await Promise.all(edits)).map(({ ok }) => ok).toSorted()).toEqual([false, true])
    expect((await (await setUp(store)).open()).list()).toMatchObject([{ revision: 1 }])

    const alone = together(1)
    const { open: openLate } = await setUp({
      ...store,
      records: {
        ...alone,
        async replace(...given: Parameters<Records['replace']>) {
          await store.records.remove('policy-rules', id)
          return store.records.replace(...given)
        },
      } as Records,
    })
    const late = await openLate()
    expect(await late.change(id, 1, LS, BY)).toEqual({ ok: false, refusal: { code: 'not_found' } })
    expect([late.list(), (await (await setUp(store)).open()).list()]).toEqual([[], []])
  })

  it('do not count before they are on disk', async () => {
    const { store, open } = await setUp()
    const rules = await open()
    const put = vi.spyOn(store.records, 'put').mockRejectedValueOnce(new Error('full'))
    await expect(rules.add(LS, BY)).rejects.toThrow('full')
    expect(rules.list()).toEqual([])
    put.mockRestore()
    await added(rules)
    expect(rules.list()).toHaveLength(1)
  })

  it('that the disk kept when they were removed are removed by the next try', async () => {
    const { store, open } = await setUp()
    const rules = await open()
    const { id } = await added(rules)
    const remove = vi.spyOn(store.records, 'remove').mockRejectedValue(new Error('full'))
    await expect(rules.remove(id)).rejects.toThrow('full')
    await expect(rules.remove(id)).rejects.toThrow('full')
    remove.mockRestore()
    expect(await rules.remove(id)).toBe(true)
    expect(await rules.remove(id)).toBe(false)
    expect((await open()).list()).toEqual([])
  })

  it('of which the disk kept some when they were removed together are listed, and removed by the next try', async () => {
    const { store, open } = await setUp()
    const rules = await open()
    const ids: PolicyRule['id'][] = []
    for (const effect of ['allow', 'ask', 'allow'] as const) ids.push((await added(rules, { ...LS, effect })).id)
    const removeStored = store.records.remove.bind(store.records)
    let calls = 0
    const remove = vi.spyOn(store.records, 'remove').mockImplementation(async (...given) => {
      if (++calls === 2) throw new Error('full')
      return removeStored(...given)
    })
    await expect(rules.removeAll(ids, () => true)).rejects.toThrow('full')
    remove.mockRestore()
    const kept = (await open()).list()
    expect(kept.map(({ id }) => id).sort()).toEqual(ids.slice(1).sort())
    expect(rules.list()).toEqual(expect.arrayContaining([...kept]))
    expect(await rules.removeAll(ids.slice(1), () => true)).toBeUndefined()
    expect([...rules.list(), ...(await open()).list()]).toEqual([])
  })

  it('of an answer that may be on record can be removed before they hold', async () => {
    const { open } = await setUp(undefined, undefined, async () => true)
    const rules = await open()
    const prepared = await rules.prepare(LS, BY, `ask_${'0'.repeat(26)}`)
    const { id } = prepared.ok ? prepared : expect.fail('it was refused')
    expect(rules.list()).toEqual([])
    expect(await rules.remove(id)).toBe(true)
    expect(await rules.remove(id)).toBe(false)
    expect((await open()).list()).toEqual([])
  })

  it('that allow end at once, those that forbid only when they are off the disk', async () => {
    const { store, open } = await setUp()
    const rules = await open()
    const allow = await added(rules)
    const deny = await added(rules, { ...LS, effect: 'deny' })
    vi.spyOn(store.records, 'remove').mockRejectedValue(new Error('full'))
    await expect(rules.remove(allow.id)).rejects.toThrow('full')
    await expect(rules.remove(deny.id)).rejects.toThrow('full')
    expect(rules.list()).toEqual([deny])
  })

  it('that cannot be read are named until somebody removes them', async () => {
    const { store, open } = await setUp()
    const { id } = await added(await open())
    await store.records.put('policy-rules', id, { ...LS, id, effect: 'forbid' })
    const rules = await open()
    expect([rules.list(), rules.unreadable()]).toEqual([[], [id]])
    expect(await rules.remove(id)).toBe(true)
    expect([rules.unreadable(), (await open()).unreadable()]).toEqual([[], []])
  })

  it('tell who listens about each change', async () => {
    const { open } = await setUp()
    const rules = await open()
    let changes = 0
    const leave = rules.subscribe(() => changes++)
    const { id } = await added(rules)
    await rules.change(id, 0, LS, BY)
    await rules.remove(id)
    leave()
    await added(rules)
    expect(changes).toBe(3)
  })
})

describe('a rule that an answer makes', () => {
  const ASK = `ask_${'0'.repeat(26)}` as const

  async function prepared(rules: Awaited<ReturnType<Awaited<ReturnType<typeof setUp>>['open']>>) {
    const result = await rules.prepare(LS, BY, ASK)
    return result.ok ? result : expect.fail(JSON.stringify(result))
  }

  it('has no effect before the answer is recorded, and at once afterwards', async () => {
    const { open, store } = await setUp()
    const rules = await open()
    const { id, keep } = await prepared(rules)
    expect(rules.list()).toEqual([])
    const kept = keep()
    expect(rules.list()).toMatchObject([{ id, pattern: 'Bash(ls *)' }])
    await kept
    expect(await store.records.list('prepared-policy-rules')).toEqual([])
    expect((await open()).list()).toMatchObject([{ id }])
  })

  it('is checked, and counted, as any other', async () => {
    const { open, store } = await setUp(undefined, () => 'It is wrong.')
    expect(await (await open()).prepare(LS, BY, ASK)).toEqual({
      ok: false,
      refusal: { code: 'invalid', why: 'It is wrong.' },
    })
    expect(await store.records.list('prepared-policy-rules')).toEqual([])
    const full = await (await setUp()).open()
    await full.addAll(new Array(10_000).fill(LS), BY)
    expect(await full.prepare(LS, BY, ASK)).toEqual({ ok: false, refusal: { code: 'too_many' } })
  })

  it('is gone where the answer does not count', async () => {
    const { open } = await setUp()
    const rules = await open()
    await (await prepared(rules)).drop()
    expect(rules.list()).toEqual([])
    expect((await open()).list()).toEqual([])
  })

  it.each([true, false])('counts after a crash as the record says: %s', async (isOnRecord) => {
    const { open, store } = await setUp(undefined, undefined, async () => isOnRecord)
    const { id } = await prepared(await open())
    const after = await open()
    expect(after.list().map((rule) => rule.id)).toEqual(isOnRecord ? [id] : [])
    expect(await store.records.list('prepared-policy-rules')).toEqual([])
  })

  it('does not come back when it was removed with others, though the disk would not take that it was prepared', async () => {
    const { open, store } = await setUp(undefined, undefined, async () => true)
    const rules = await open()
    const { id, keep } = await prepared(rules)
    const remove = vi.spyOn(store.records, 'remove').mockRejectedValueOnce(new Error('full'))
    await keep()
    remove.mockRestore()
    expect(await rules.removeAll([id], () => true)).toBeUndefined()
    expect((await open()).list()).toEqual([])
  })

  describe('at one of several gateways', () => {
    async function two() {
      const shared = createMemoryCluster()
      const nodes = [shared.node('a'), shared.node('b')] as const
      const open = async ({ store, cluster }: (typeof nodes)[number]) => {
        const records = followRecords(store.records, cluster)
        const ownRecords = recordsOfNode(records, cluster)
        return (await setUp(store, undefined, async () => true)).open({ records, ownRecords })
      }
      return { nodes, open, rules: [await open(nodes[0]), await open(nodes[1])] as const }
    }

    it('[I8] does not come back when it was removed at another one, and its own ended before it was done with it', async () => {
      const { nodes, open, rules } = await two()
      const { id, keep } = await prepared(rules[1])
      const remove = vi.spyOn(nodes[1].store.records, 'remove').mockRejectedValueOnce(new Error('cut off'))
      await keep()
      remove.mockRestore()
      expect(rules[0].list()).toMatchObject([{ id }])
      expect(await rules[0].remove(id)).toBe(true)
      const next = await open(nodes[1])
      expect([rules[0].list(), rules[1].list(), next.list()]).toEqual([[], [], []])
    })

    it('[I8] holds there alone no longer than it can be seen and removed at all', async () => {
      const { nodes, open, rules } = await two()
      const { id, keep } = await prepared(rules[1])
      const put = vi.spyOn(nodes[1].store.records, 'put').mockRejectedValueOnce(new Error('cut off'))
      await keep()
      put.mockRestore()
      expect([rules[0].list(), rules[1].list()]).toEqual([[], []])
      expect((await open(nodes[1])).list()).toMatchObject([{ id }])
      expect(rules[0].list()).toMatchObject([{ id }])
    })

    it.each(['before', 'after'])(
      '[I8] holds nowhere when another one removes it right %s it is saved',
      async (when) => {
        const { nodes, open, rules } = await two()
        const { id, keep } = await prepared(rules[1])
        const { records } = nodes[1].store
        const put = records.put.bind(records)
        vi.spyOn(records, 'put').mockImplementationOnce(async (...given) => {
          if (when === 'before') expect(await rules[0].remove(id)).toBe(true)
          await put(...given)
          if (when === 'after') expect(await rules[0].remove(id)).toBe(true)
        })
        await keep()
        const next = await open(nodes[1])
        expect([rules[0].list(), rules[1].list(), next.list()]).toEqual([[], [], []])
      },
    )
  })

  it('does not come back when it was removed, though the disk would not take that it was kept', async () => {
    const { open, store } = await setUp(undefined, undefined, async () => true)
    const rules = await open()
    const { id, keep } = await prepared(rules)
    const put = vi.spyOn(store.records, 'put').mockRejectedValueOnce(new Error('full'))
    await keep()
    expect(rules.list()).toMatchObject([{ id }])
    put.mockRestore()
    expect(await rules.remove(id)).toBe(true)
    expect((await open()).list()).toEqual([])
  })
})
