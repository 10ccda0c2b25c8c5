import { evolve, type SessionView } from '@holdpoint/core/session-view'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { NoticeSettings } from '@holdpoint/schema/notification'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { askId, deviceId, eventsOf, sampleAsk, sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { describe, expect, it } from 'vitest'
import type { Notice } from './channel.ts'
import { ALWAYS_OURS } from './notice-duty.ts'
import { createNotifier } from './notifier.ts'
import type { NoticeReceiver } from './receivers.ts'

const PHONE = deviceId(1)
const SETTINGS: NoticeSettings = { kinds: ['ask', 'finished', 'failed', 'message', 'alarm'], content: 'names' }

function start(
  changes: Partial<NoticeReceiver> = {},
  { isSeen = (): boolean => false, isOnItsWay = (): boolean => false } = {},
) {
  const { clock, advance } = createManualClock()
  const views = new Map<SessionId, SessionView>()
  const sent: Notice[] = []
  const receiver: NoticeReceiver = {
    id: PHONE,
    name: 'Pixel',
    settings: SETTINGS,
    channel: { send: async () => ({ ok: true }) },
    sees: () => true,
    isInFront: () => false,
    hasPage: () => false,
    mayDeny: true,
    mayAllow: false,
    ...changes,
  }
  const receivers = [receiver]
  let made = 0
  const notifier = createNotifier({
    ledger: { views: () => views, ended: () => [] },
    clock,
    newId: (prefix) => `${prefix}_${String(++made).padStart(26, '0')}`,
    receivers: { list: () => receivers, find: (id) => receivers.find((one) => one.id === id) },
    askNotices: { of: () => undefined, isSeen },
    duty: ALWAYS_OURS,
    tokenKey: { secret: 'key', maker: '' },
    isOnItsWay,
    onRang: () => {},
    publicUrl: () => 'https://holdpoint.example',
    send: (_to, notice) => sent.push(notice),
  })
  /** As one commit. */
  function commit(...events: DurableEvent[]) {
    const stored: Stored[] = []
    for (const event of events) {
      views.set(event.sessionId, evolve(views.get(event.sessionId), event))
      stored.push({ seq: 0, sessionSeq: 0, hash: '', event })
    }
    notifier.onStored(stored)
  }
  const { started, raised, settled } = eventsOf(1, 10)
  commit(started())
  return { notifier, receivers, sent, commit, advance, raise: (n: number) => commit(raised(ask(n))), raised, settled }
}

function ask(n: number, changes: Partial<Ask> = {}): Ask {
  const command = `ls ${n}`
  const call = { tool: { name: 'Bash', input: { command } }, context: { cwd: '/p', command } }
  return { ...sampleAsk(n), kind: 'approval', ...call, ...changes }
}

const hour = (shift: number) => new Date(Date.now() + shift * 3_600_000).toISOString().slice(11, 16)
const shown = ({ tag, askIds, silent }: Notice) => ({ tag, asks: askIds.length, silent })

describe('who is told of an ask', () => {
  it('rings at once for one ask, and leads to its card', () => {
    const { sent, raise } = start()
    raise(1)
    expect(sent).toMatchObject([
      { tag: askId(1), title: 'Bash needs your answer', path: `/asks/${askId(1)}`, silent: false, waiting: 1 },
    ])
    expect(sent[0]?.url).toBe(`https://holdpoint.example/asks/${askId(1)}`)
  })

  it('makes one notice with a count of thirty asks in a minute, and rings once', () => {
    const { sent, raise, advance } = start()
    for (let n = 1; n <= 30; n++) {
      raise(n)
      advance(1800)
    }
    advance(3000)
    expect(sent.filter(({ silent }) => !silent)).toHaveLength(1)
    const last = sent.at(-1)
    expect(last).toMatchObject({ tag: 'asks', title: '30 asks need your answer', path: '/', silent: true })
    expect(sent.slice(1).every(({ tag }) => tag === 'asks')).toBe(true)
    expect(sent[1]?.replaces).toEqual([askId(1)])
    // Each ask is told of once.
    expect(sent.flatMap(({ askIds }) => askIds).sort()).toEqual(
      Array.from({ length: 30 }, (_, n) => askId(n + 1)).sort(),
    )
  })

  it('rings again for what comes after a minute', () => {
    const { sent, raise, advance } = start()
    raise(1)
    advance(61_000)
    raise(2)
    advance(3000)
    expect(sent.map(shown)).toEqual([
      { tag: askId(1), asks: 1, silent: false },
      { tag: 'asks', asks: 1, silent: false },
    ])
  })

  it('rings at the end of the minute for what came in between, unless it is settled or seen by then', () => {
    const later = (of: ReturnType<typeof start>) => {
      of.raise(1)
      of.commit(of.settled(1))
      of.advance(30_000)
      of.raise(2)
      of.advance(3000)
      expect(of.sent.at(-1)).toMatchObject({ tag: askId(2), silent: true })
      return of
    }
    const heard = later(start())
    heard.advance(28_000)
    expect(heard.sent.at(-1)).toMatchObject({ tag: askId(2), silent: false, askIds: [askId(2)] })
    heard.advance(61_000)
    expect(heard.sent.filter(({ silent }) => !silent)).toHaveLength(2)
    const settled = later(start())
    settled.commit(settled.settled(2))
    settled.advance(28_000)
    expect(settled.sent.filter(({ silent }) => !silent)).toHaveLength(1)
    const seen = later(start({}, { isSeen: () => true }))
    seen.advance(28_000)
    expect(seen.sent.filter(({ silent }) => !silent)).toHaveLength(1)
  })

  it('says nothing of what a rule settles in the same commit', () => {
    const { sent, commit, raised, settled, advance } = start()
    commit(raised(ask(1)), settled(1))
    advance(10_000)
    expect(sent).toEqual([])
  })

  it.each<[string, Partial<NoticeReceiver>]>([
    ['whose page is in front', { isInFront: () => true }],
    ['that may not see the session', { sees: () => false }],
    ['that wants other kinds', { settings: { ...SETTINGS, kinds: ['alarm'] } }],
    ['in its quiet hours', { settings: { ...SETTINGS, quietHours: { from: hour(-1), to: hour(1), timeZone: 'UTC' } } }],
    ['that wants other projects', { settings: { ...SETTINGS, projects: ['/elsewhere'] } }],
  ])('tells nothing to a device %s', (_which, changes) => {
    const { sent, raise, advance } = start(changes)
    raise(1)
    advance(10_000)
    expect(sent).toEqual([])
  })
})

it('catches up with what nobody was told of, and not with what is sent just now', () => {
  let isInFront = true
  let isOnItsWay = true
  const { notifier, receivers, sent, raise } = start({ isInFront: () => isInFront }, { isOnItsWay: () => isOnItsWay })
  raise(1)
  isInFront = false
  for (const to of receivers) notifier.catchUp(to)
  expect(sent).toEqual([])
  isOnItsWay = false
  for (const to of receivers) notifier.catchUp(to)
  expect(sent.map(shown)).toEqual([{ tag: askId(1), asks: 1, silent: false }])
})

describe('what is settled', () => {
  it('is replaced, without a sound, by who has answered', () => {
    const { sent, raise, commit, settled } = start()
    raise(1)
    commit(settled(1))
    expect(sent[1]).toMatchObject({ tag: askId(1), silent: true, askIds: [] })
    expect(sent[1]?.body).toMatch(/^Answered/)
    expect(sent[1]?.deny).toBeUndefined()
  })

  it('is left to a page that is open on the device', () => {
    const { sent, raise, commit, settled } = start({ hasPage: () => true })
    raise(1)
    commit(settled(1))
    expect(sent).toHaveLength(1)
  })

  it('is taken off the count; the last but one leaves a notice of one ask, and the last one ends it', () => {
    const { sent, raise, commit, settled, advance } = start()
    raise(1)
    raise(2)
    raise(3)
    advance(3000)
    commit(settled(1))
    advance(3000)
    expect(sent.at(-1)).toMatchObject({ tag: 'asks', title: '2 asks need your answer', silent: true })
    commit(settled(2))
    advance(3000)
    expect(sent.at(-1)).toMatchObject({
      tag: 'asks',
      title: 'Bash needs your answer',
      path: `/asks/${askId(3)}`,
      silent: true,
    })
    commit(settled(3))
    advance(3000)
    expect(sent.at(-1)).toMatchObject({ tag: 'asks', body: 'Nothing waits for your answer any more.', silent: true })
  })

  it('leaves no notice of several behind when a new ask comes before that is told', () => {
    const { sent, raise, commit, settled, advance } = start()
    raise(1)
    raise(2)
    advance(3000)
    commit(settled(1))
    commit(settled(2))
    advance(60_000)
    expect(sent.at(-1)).toMatchObject({ tag: 'asks', body: 'Nothing waits for your answer any more.' })
    raise(3)
    raise(4)
    advance(60_000)
    expect(sent.at(-1)).toMatchObject({ tag: 'asks', title: '2 asks need your answer' })
    commit(settled(3))
    commit(settled(4))
    raise(5)
    advance(3000)
    expect(sent.at(-1)).toMatchObject({ tag: askId(5), replaces: ['asks'] })
  })

  it('is not told of once more behind the notice of a new ask that has taken the place of several', () => {
    const { sent, raise, commit, settled, advance } = start()
    raise(1)
    raise(2)
    advance(3000)
    commit(settled(1), settled(2))
    raise(3)
    advance(3000)
    expect(sent.at(-1)).toMatchObject({ tag: askId(3), replaces: ['asks'] })
    const before = sent.length
    raise(4)
    commit(settled(4))
    advance(3000)
    expect(sent.slice(before)).toEqual([])
  })

  it('is taken off the count also where a page is open in the background, which takes the notice of none away', () => {
    const { sent, raise, commit, settled, advance } = start({ hasPage: () => true })
    for (const n of [1, 2, 3]) raise(n)
    advance(3000)
    commit(settled(1))
    advance(3000)
    expect(sent.at(-1)).toMatchObject({ tag: 'asks', title: '2 asks need your answer', silent: true })
    commit(settled(2), settled(3))
    advance(3000)
    expect(sent).toHaveLength(3)
  })

  it('is not counted again where a page is in front, which takes the notice of several away', () => {
    let isInFront = false
    const { sent, raise, commit, settled, advance } = start({ hasPage: () => true, isInFront: () => isInFront })
    for (const n of [1, 2, 3, 4]) raise(n)
    advance(3000)
    commit(settled(1))
    isInFront = true
    advance(3000)
    commit(settled(2))
    isInFront = false
    advance(3000)
    expect(sent).toHaveLength(2)
  })

  it('is not told of at all when it comes first', () => {
    const { sent, raise, commit, settled, advance } = start()
    raise(1)
    raise(2)
    commit(settled(2))
    advance(3000)
    expect(sent.map(shown)).toEqual([{ tag: askId(1), asks: 1, silent: false }])
  })
})

describe('T58 the buttons of a notice', () => {
  it('are Deny alone, where nobody switched Allow on', () => {
    const { sent, raise } = start()
    raise(1)
    expect(sent[0]?.deny).toMatch(/^d\./)
    expect(sent[0]?.allow).toBeUndefined()
  })

  it('have Allow only where the text is shown, and shown whole', () => {
    const text = { ...SETTINGS, content: 'text' as const }
    const { sent, raise, commit, raised, advance } = start({ mayAllow: true, settings: text })
    raise(1)
    expect(sent[0]?.allow).toMatch(/^a\./)
    expect(sent[0]?.body).toContain('ls 1')
    advance(61_000)
    const long = 'x'.repeat(300)
    commit(raised(ask(2, { tool: { name: 'Bash', input: { command: long } }, context: { cwd: '/p', command: long } })))
    advance(3000)
    expect(sent[1]?.allow).toBeUndefined()
    const hidden = start({ mayAllow: true })
    hidden.raise(1)
    expect(hidden.sent[0]?.allow).toBeUndefined()
  })

  it('are not there for who may not answer, nor for a question', () => {
    const viewer = start({ mayDeny: false })
    viewer.raise(1)
    expect(viewer.sent[0]?.deny).toBeUndefined()
    const asked = start()
    asked.commit(asked.raised(ask(1, { kind: 'question' })))
    expect(asked.sent[0]?.deny).toBeUndefined()
  })
})

describe('what is no ask', () => {
  const at = { sessionId: sessionId(1), at: 20 }
  it('is told by kind: a turn that is over, an alarm, an end', () => {
    const { sent, commit } = start()
    commit({ ...at, type: 'session-changed', changes: { state: 'assistant_turn' } })
    commit({ ...at, type: 'session-changed', changes: { state: 'user_turn' } })
    commit({ ...at, type: 'alarm', code: 'ran-unasked', message: 'x' })
    commit({ ...at, type: 'session-ended', reason: 'exit', error: { code: 'x', message: 'x' } })
    expect(sent.map(({ kind }) => kind)).toEqual(['message', 'alarm', 'failed'])
    expect(sent[0]).toMatchObject({ path: `/sessions/${sessionId(1)}`, silent: false })
  })

  it('is not told when a session only starts', () => {
    const { sent, commit } = start()
    commit({ ...at, type: 'session-changed', changes: { state: 'user_turn' } })
    expect(sent).toEqual([])
  })
})

it('sends nothing more once it is closed', () => {
  const { sent, raise, advance, notifier } = start()
  raise(1)
  raise(2)
  notifier.close()
  advance(10_000)
  expect(sent).toHaveLength(1)
})

it('forgets what a device had on its screen when the device is gone', () => {
  const { sent, raise, advance, receivers } = start()
  raise(1)
  raise(2)
  const [phone] = receivers
  receivers.length = 0
  advance(3000)
  expect(sent).toHaveLength(1)
  if (phone) receivers.push(phone)
  advance(60_000)
  raise(3)
  expect(sent[1]).toMatchObject({ tag: askId(3), replaces: [] })
})
