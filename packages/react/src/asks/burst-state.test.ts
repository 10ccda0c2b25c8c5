import type { Ask } from '@holdpoint/schema/ask'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { createBurst } from './burst.ts'
import { type BurstEvent, batchOf, burstReducer, burstView, MOST_AT_ONCE, NO_BURST } from './burst-state.ts'

const bash = (id: `ask_${string}`, given: Partial<Ask> = {}) => sampleAsk({ id, digest: `digest of ${id}`, ...given })
const one = bash('ask_1')
const two = bash('ask_2')
const tick = (...asks: Ask[]): BurstEvent => ({ type: 'ticked', asks, selected: true })
const no = () => false
const see = (ask: Ask): BurstEvent => ({ type: 'end-seen', ask })
const after = (...events: BurstEvent[]) => events.reduce(burstReducer, NO_BURST)
const view = (asks: readonly Ask[], ...events: BurstEvent[]) => burstView(asks, after(...events), no, no)
const batch = (shown: readonly Ask[], open: readonly Ask[], ...events: BurstEvent[]) =>
  batchOf(shown, ({ id }) => open.find((ask) => ask.id === id), after(...events))

describe('answering several asks together', () => {
  it('offers those that are ticked and open, of all sessions', () => {
    const elsewhere = bash('ask_9', { sessionId: 'ses_other' })
    const { chosen, allowed, leftOut } = view([one, two, elsewhere], tick(one, elsewhere))
    expect(chosen).toEqual([one, elsewhere])
    expect(allowed).toEqual([one, elsewhere])
    expect(leftOut).toEqual([])
  })

  it('drops what was settled meanwhile, and what is another ask under the same id', () => {
    expect(view([two], tick(one, two)).chosen).toEqual([two])
    expect(view([{ ...one, digest: 'another' }], tick(one)).chosen).toEqual([])
  })

  it('never adds an ask that came after the selection', () => {
    expect(view([one, two], tick(one)).chosen).toEqual([one])
    expect(batch([one], [one, two], see(one)).open).toEqual([one])
  })

  it('allows none across tools, and leaves out one that opens on No (T31)', () => {
    const write = bash('ask_3', { tool: { name: 'Write', input: {} } })
    const mixed = view([one, write], tick(one, write))
    expect(mixed.allowed).toEqual([])
    expect(mixed.tools.map(({ name }) => name)).toEqual(['Bash', 'Write'])
    const no = bash('ask_4', { flags: { defaultToNo: true, noRemember: true } })
    const refused = bash('ask_5', { appeal: { reason: 'It is unknown.' } })
    const some = view([one, no, refused], tick(one, no, refused))
    expect(some.allowed).toEqual([one])
    expect(some.leftOut).toEqual([
      { ask: no, why: expect.stringMatching(/high risk/) },
      { ask: refused, why: expect.stringMatching(/own check/) },
    ])
    expect(some.chosen).toHaveLength(3)
  })

  it('leaves out an edit of which nobody knows what it will write, not a command (T63)', () => {
    const edit = (id: `ask_${string}`, given: Partial<Ask> = {}) =>
      bash(id, { tool: { name: 'Edit', input: {} }, ...given })
    const known = edit('ask_5')
    const unknown = edit('ask_6', { filesUnknown: 'What this edit will write is not known.' })
    expect(view([known, unknown], tick(known, unknown)).allowed).toEqual([known])
    const npx = bash('ask_8', { filesUnknown: 'Holdpoint does not know which files npx runs.' })
    expect(view([one, npx], tick(one, npx)).allowed).toEqual([one, npx])
  })

  it('leaves out what an alarm has frozen, and what names no tool', () => {
    const bare = bash('ask_3', { tool: undefined })
    const selection = after(tick(one, bare))
    const frozen = burstView([one, bare], selection, (id) => id === one.sessionId, no)
    expect(frozen.allowed).toEqual([])
    expect(frozen.leftOut.map(({ why }) => why)).toEqual(['its session is frozen by an alarm', 'names no tool'])
  })

  it('leaves out what the machine of its agent has to look at, while that cannot be reached, and no other', () => {
    const call = bash('ask_3', { toolUseId: 'toolu_1' })
    const raised = bash('ask_4', { toolUseId: 'toolu_2', raisedBy: 'dev_1' })
    const elsewhere = bash('ask_5', { toolUseId: 'toolu_3', sessionId: 'ses_other' })
    const all = [call, raised, elsewhere]
    const { allowed, leftOut } = burstView(all, after(tick(...all)), no, (id) => id === call.sessionId)
    expect(allowed).toEqual([raised, elsewhere])
    expect(leftOut).toEqual([{ ask: call, why: 'its machine is not reachable' }])
  })

  it('ticks neither a question nor an ask that is not loaded whole', () => {
    const question = bash('ask_3', { kind: 'question' })
    const large = bash('ask_4', { omitted: { digest: 'd', characters: 9 } })
    expect(after(tick(question, large, one)).ticked).toEqual(new Map([[one.id, one.digest]]))
  })

  it('puts no more before a person at once than can be read', () => {
    const many = Array.from({ length: MOST_AT_ONCE + 3 }, (_, number) => bash(`ask_m${number}`))
    const { allowed, chosen } = view(many, tick(...many))
    expect([allowed.length, chosen.length]).toEqual([MOST_AT_ONCE, MOST_AT_ONCE + 3])
  })

  it('allows none while one was not seen to its end (T26, T31)', () => {
    expect(batch([one, two], [one, two], see(one)).unseen).toEqual([two])
    expect(batch([one], [one], see({ ...one, digest: 'another' })).unseen).toEqual([one])
    expect(batch([one, two], [one, two], see(one), see(two)).unseen).toEqual([])
  })

  it('is another decision when one of them is settled or has changed', () => {
    const all = batch([one, two], [one, two])
    expect(all.decision).toBe('ask_1 digest of ask_1\nask_2 digest of ask_2')
    expect(batch([one, two], [two]).decision).toBe('ask_2 digest of ask_2')
    expect(batch([one, two], [{ ...one, digest: 'another' }, two]).open).toEqual([two])
  })

  it('forgets the ticks, not what was seen', () => {
    const state = after(tick(one), see(one), { type: 'cleared' })
    expect(state.ticked.size).toBe(0)
    expect(state.endSeen.get(one.id)).toBe(one.digest)
  })

  it('forgets the tick of an ask that a filter hides', () => {
    const state = after(tick(one, two), see(one), { type: 'shown', asks: [two] }, { type: 'shown', asks: [one, two] })
    expect([...state.ticked.keys()]).toEqual([two.id])
    expect(state.endSeen.size).toBe(0)
  })
})

describe('the ticks of a list', () => {
  it('are offered while at least two can be answered together', () => {
    const burst = createBurst()
    const heard: (boolean | undefined)[] = []
    burst.subscribe(() => heard.push(burst.isTicked(one)))
    burst.show([one, bash('ask_3', { kind: 'plan' })])
    expect(burst.isTicked(one)).toBeUndefined()
    burst.show([one, two])
    burst.tick([one], true)
    burst.show([one])
    expect(heard).toEqual([false, true, undefined])
  })
})
