import type { Ask } from '@holdpoint/schema/ask'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { type BurstEvent, burstReducer, burstView, NO_BURST } from './burst-state.ts'

const bash = (id: `ask_${string}`, given: Partial<Ask> = {}) => sampleAsk({ id, digest: `digest of ${id}`, ...given })
const one = bash('ask_1')
const two = bash('ask_2')
const tick = (ask: Ask): BurstEvent => ({ type: 'ticked', ask, selected: true })
const see = (ask: Ask): BurstEvent => ({ type: 'end-seen', ask })
const view = (asks: readonly Ask[], ...events: BurstEvent[]) => burstView(asks, events.reduce(burstReducer, NO_BURST))

describe('answering several asks together', () => {
  it('offers those that are ticked and open, each with its own digest', () => {
    const { chosen, cannotAllow, decision } = view([one, two], tick(one), tick(two), see(one), see(two))
    expect(chosen).toEqual([one, two])
    expect(cannotAllow).toBeUndefined()
    expect(decision).toBe('ask_1 digest of ask_1\nask_2 digest of ask_2')
  })

  it('drops what was settled meanwhile, and what is another ask under the same id', () => {
    expect(view([two], tick(one), tick(two)).chosen).toEqual([two])
    expect(view([{ ...one, digest: 'another' }], tick(one)).chosen).toEqual([])
  })

  it('allows none while one was not seen to its end (T26, T31)', () => {
    expect(view([one, two], tick(one), tick(two), see(one)).cannotAllow).toMatch(/not seen/)
    expect(view([one], tick(one), see({ ...one, digest: 'another' })).cannotAllow).toMatch(/not seen/)
  })

  it('allows none across tools, nor one that opens on No (T31)', () => {
    const write = bash('ask_3', { tool: { name: 'Write', input: {} } })
    expect(view([one, write], tick(one), tick(write), see(one), see(write)).cannotAllow).toMatch(/one tool/)
    const no = bash('ask_4', { flags: { defaultToNo: true, noRemember: true } })
    expect(view([one, no], tick(one), tick(no), see(one), see(no)).cannotAllow).toMatch(/high risk/)
    const refused = bash('ask_5', { appeal: { reason: 'It is unknown.' } })
    expect(view([one, refused], tick(one), tick(refused), see(one), see(refused)).cannotAllow).toMatch(
      /own check refused/,
    )
  })

  it('allows none with an edit of which nobody knows what it will write (T63)', () => {
    const edit = (id: `ask_${string}`, given: Partial<Ask> = {}) =>
      bash(id, { tool: { name: 'Edit', input: {} }, ...given })
    const known = edit('ask_5')
    const unknown = edit('ask_6', { filesUnknown: 'What this edit will write is not known.' })
    const both = (one: Ask, two: Ask) => view([one, two], tick(one), tick(two), see(one), see(two)).cannotAllow
    expect(both(known, unknown)).toMatch(/What one of them will write is unknown/)
    expect(both(known, edit('ask_7'))).toBeUndefined()
  })

  it('allows commands whose files are not known: the commands themselves were seen', () => {
    const [a, b] = [bash('ask_8', { filesUnknown: 'Holdpoint does not know which files npx runs.' }), one]
    expect(view([a, b], tick(a), tick(b), see(a), see(b)).cannotAllow).toBeUndefined()
  })

  it('forgets the ticks, not what was seen', () => {
    const state = [tick(one), see(one), { type: 'cleared' } as const].reduce(burstReducer, NO_BURST)
    expect(state.ticked.size).toBe(0)
    expect(state.endSeen.get(one.id)).toBe(one.digest)
  })
})
