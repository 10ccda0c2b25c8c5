import type { DurableEvent } from '@holdpoint/schema/event'
import { expect, it } from 'vitest'
import { createFakeTimers } from './fixtures/fake-timers.ts'
import { createFakeTransport } from './fixtures/fake-transport.ts'
import { createLink } from './link.ts'

const SNAPSHOT = { type: 'snapshot', seq: 10, cursor: '10-a', sessions: [], asks: [], queued: [] } as const
const seen = (seq: number) => ({
  type: 'event' as const,
  seq,
  cursor: `${seq}-a`,
  event: { type: 'session-ended', sessionId: 'ses_x', at: seq, reason: 'test' } satisfies DurableEvent,
})

function world(options: { failing?: (event: DurableEvent) => boolean } = {}) {
  const fake = createFakeTransport()
  const time = createFakeTimers()
  const heard: (number | string)[] = []
  const states: string[] = []
  const link = createLink({
    transport: fake.transport,
    timers: time.timers,
    random: () => 1,
    handlers: {
      onSnapshot: ({ seq }) => heard.push(`snapshot ${seq}`),
      onEvent(event) {
        if (options.failing?.(event)) throw new Error('cannot be folded')
        heard.push(event.at)
      },
      onPolicyChanged: () => {},
      onMachinesChanged: () => {},
      onLive: () => heard.push('live'),
      onPartial: () => {},
      onDrop: () => heard.push('drop'),
      onState: (state) => states.push(state),
    },
  })
  link.open()
  return {
    ...fake,
    time,
    heard,
    states,
    link,
    /** Opens the newest stream and brings it up to date. */
    connect() {
      fake.stream().open()
      if (fake.stream().sent.at(-1)?.after === undefined) fake.stream().frame(SNAPSHOT)
      fake.stream().caughtUp()
    },
  }
}

it('is live once the gateway says that everything was sent, not before', () => {
  const test = world()
  test.stream().open()
  test.stream().frame(SNAPSHOT)
  expect(test.link.state()).toBe('connecting')
  test.stream().frame({ type: 'subscribed', ref: 'of another subscription', partial: [] })
  expect(test.link.state()).toBe('connecting')
  test.stream().caughtUp()
  expect(test.states).toEqual(['live'])
})

it('says that what it shows may be old when the stream goes before everything was sent', async () => {
  const test = world()
  test.stream().end('lost')
  expect(test.states).toEqual([])
  await test.time.advance(250)
  test.stream().open()
  test.stream().frame(SNAPSHOT)
  test.link.reconnect()
  expect(test.states).toEqual([])
  test.stream().end('lost')
  expect(test.states).toEqual(['stale'])
  await test.time.advance(500)
  test.stream().open()
  expect(test.stream().sent).toMatchObject([{ type: 'subscribe', after: '10-a' }])
  test.stream().caughtUp()
  expect(test.states).toEqual(['stale', 'live'])
})

it('F58 takes a snapshot that comes in pieces once its last one is there', async () => {
  const test = world()
  const piece = { type: 'snapshot-part', sessions: [], asks: [], queued: [] } as const
  test.stream().open()
  test.stream().frame(piece)
  expect(test.heard).toEqual([])
  test.stream().end('lost')
  await test.time.advance(500)
  test.stream().open()
  expect(test.stream().sent).toMatchObject([{ type: 'subscribe' }])
  for (const frame of [piece, piece, { ...piece, seq: 7, cursor: '7-a' }, seen(8)]) test.stream().frame(frame)
  expect(test.heard).toEqual(['snapshot 7', 8])
})

it('I7 goes on from its cursor and hears each event once', async () => {
  const test = world()
  test.connect()
  for (const seq of [11, 12, 12, 11]) test.stream().frame(seen(seq))
  test.stream().end('lost')
  expect(test.link.state()).toBe('stale')
  await test.time.advance(250)
  test.stream().open()
  expect(test.stream().sent).toMatchObject([{ type: 'subscribe', after: '12-a' }])
  for (const seq of [12, 13]) test.stream().frame(seen(seq))
  expect(test.link.state()).toBe('stale')
  test.stream().caughtUp()
  expect(test.heard).toEqual(['snapshot 10', 11, 12, 13])
  expect(test.states).toEqual(['live', 'stale', 'live'])
})

it('lets a snapshot replace everything, also where a cursor was sent', async () => {
  const test = world()
  test.connect()
  test.stream().frame(seen(11))
  test.stream().end('lost')
  await test.time.advance(250)
  test.stream().open()
  test.stream().frame({ ...SNAPSHOT, seq: 3 })
  test.stream().caughtUp()
  test.stream().frame(seen(4))
  expect(test.heard).toEqual(['snapshot 10', 11, 'snapshot 3', 4])
})

it('waits longer after each failure, two seconds at most in the first minute, then ten, and from the start again after a good while', async () => {
  const test = world()
  const waits: number[] = []
  for (let round = 0; round < 42; round++) {
    const before = test.streams.length
    test.stream().end('lost')
    let waited = 0
    while (test.streams.length === before) {
      await test.time.advance(125)
      waited += 125
    }
    waits.push(waited)
  }
  expect(waits).toEqual([250, 500, 1000, ...Array(37).fill(2000), 10_000, 10_000])
  test.connect()
  await test.time.advance(5_000)
  const before = test.streams.length
  test.stream().end('lost')
  await test.time.advance(250)
  expect(test.streams.length).toBe(before + 1)
})

it('does not storm a gateway that accepts and drops', async () => {
  const test = world()
  for (let round = 0; round < 20; round++) {
    test.connect()
    test.stream().end('lost')
    await test.time.advance(1_000)
  }
  expect(test.streams.length).toBeLessThan(14)
})

it('tries at once when told to', () => {
  const test = world()
  test.stream().end('lost')
  test.link.reconnect()
  expect(test.streams.length).toBe(2)
  // One that hangs is not waited for either.
  test.link.reconnect()
  expect(test.streams.length).toBe(3)
  expect(test.streams[1]?.isClosed()).toBe(true)
})

it('asks a stream that it slept on whether it is there, and gives it up when it is not', async () => {
  const test = world()
  test.connect()
  await test.time.advance(1_000)
  test.time.sleep(3_600_000)
  test.link.reconnect()
  expect(test.stream().sent.at(-1)).toMatchObject({ after: '10-a' })
  expect(test.link.state()).toBe('live')
  await test.time.advance(400)
  expect(test.link.state()).toBe('stale')
  await test.time.advance(3_000)
  expect(test.streams.length).toBe(2)
  expect(test.streams[0]?.isClosed()).toBe(true)
  test.connect()
  expect(test.states).toEqual(['live', 'stale', 'live'])
})

it('stays live when the stream answers in time', async () => {
  const test = world()
  test.connect()
  test.link.reconnect()
  await test.time.advance(100)
  test.stream().caughtUp()
  await test.time.advance(15_000)
  expect(test.states).toEqual(['live'])
  expect(test.streams.length).toBe(1)
})

it('notices by itself that nothing has come for long, without any signal', async () => {
  const test = world()
  test.connect()
  await test.time.advance(19_000)
  expect(test.stream().sent.length).toBe(1)
  await test.time.advance(1_000)
  expect(test.stream().sent.length).toBe(2)
  test.stream().caughtUp()
  await test.time.advance(15_000)
  expect(test.stream().sent.length).toBe(2)
  await test.time.advance(9_000)
  expect(test.link.state()).toBe('stale')
  expect(test.streams.length).toBe(2)
})

it('gives up a stream that opens and says nothing', async () => {
  const test = world()
  test.stream().open()
  await test.time.advance(60_250)
  expect(test.streams[0]?.isClosed()).toBe(true)
  expect(test.streams.length).toBe(2)
})

it('gives up a stream that does not open', async () => {
  const test = world()
  await test.time.advance(10_250)
  expect(test.streams[0]?.isClosed()).toBe(true)
  expect(test.streams.length).toBe(2)
})

it('I7 waits for a snapshot, and for what was missed, that takes a slow line most of a minute', async () => {
  const test = world()
  test.stream().open()
  await test.time.advance(55_000)
  test.stream().frame(SNAPSHOT)
  await test.time.advance(55_000)
  test.stream().caughtUp()
  expect(test.link.state()).toBe('live')
  expect(test.streams.length).toBe(1)
  test.stream().end('lost')
  await test.time.advance(250)
  test.stream().open()
  await test.time.advance(55_000)
  test.stream().frame(seen(11))
  test.stream().caughtUp()
  expect(test.states).toEqual(['live', 'stale', 'live'])
  expect(test.streams.length).toBe(2)
})

it('I4 drops everything when an event cannot be folded, and starts from a snapshot', async () => {
  const test = world({ failing: (event) => event.at === 12 })
  test.connect()
  for (const seq of [11, 12, 13]) test.stream().frame(seen(seq))
  expect(test.heard).toEqual(['snapshot 10', 11, 'drop'])
  expect(test.link.state()).toBe('connecting')
  await test.time.advance(250)
  test.stream().open()
  expect(test.stream().sent[0]).not.toHaveProperty('after')
})

it('I4 takes nothing for granted after a frame that cannot be read', async () => {
  const test = world()
  test.connect()
  test.stream().frame({ type: 'unreadable' })
  expect(test.heard).toEqual(['snapshot 10', 'drop'])
  await test.time.advance(250)
  test.connect()
  expect(test.link.state()).toBe('live')
})

it('stops when the credential is gone, and starts over without a cursor when there is another', async () => {
  const test = world()
  test.connect()
  test.stream().end('unauthorized')
  expect(test.link.state()).toBe('logged-out')
  expect(test.heard).toEqual(['snapshot 10', 'drop'])
  await test.time.advance(60_000)
  expect(test.streams.length).toBe(1)
  test.link.restart()
  test.stream().open()
  expect(test.stream().sent[0]).not.toHaveProperty('after')
})

it('does nothing more once it is closed', async () => {
  const test = world()
  test.connect()
  test.link.close()
  test.link.reconnect()
  test.link.restart()
  await test.time.advance(60_000)
  expect(test.streams.length).toBe(1)
  expect(test.stream().isClosed()).toBe(true)
  expect(test.time.waiting()).toBe(0)
})

it('tells the gateway whether somebody looks at the page, on every stream', async () => {
  const test = world()
  test.connect()
  expect(test.stream().attention).toEqual([])
  test.link.setInFront(true)
  test.link.setInFront(true)
  test.link.setInFront(false)
  test.link.setInFront(true)
  expect(test.stream().attention).toEqual([true, false, true])

  test.stream().end('lost')
  await test.time.advance(250)
  test.connect()
  expect(test.stream().attention).toEqual([true])
  test.link.setInFront(false)
  test.stream().end('lost')
  await test.time.advance(500)
  test.connect()
  expect(test.stream().attention).toEqual([])
})

it('puts the notices of a snapshot in parts together', () => {
  const fake = createFakeTransport()
  const snapshots: unknown[] = []
  const ignore = () => {}
  createLink({
    transport: fake.transport,
    timers: createFakeTimers().timers,
    random: () => 1,
    handlers: {
      onSnapshot: ({ notices }) => snapshots.push(notices),
      onEvent: ignore,
      onPolicyChanged: ignore,
      onMachinesChanged: ignore,
      onLive: ignore,
      onPartial: ignore,
      onDrop: ignore,
      onState: ignore,
    },
  }).open()
  const part = { type: 'snapshot-part', sessions: [], asks: [], queued: [] } as const
  const notice = { askId: 'ask_1', notified: [], seen: [] } as const
  fake.stream().open()
  fake.stream().frame(part)
  fake.stream().frame({ ...part, notices: [{ ...notice, notified: [], seen: [] }], seq: 3, cursor: '3-a' })
  expect(snapshots).toEqual([[notice]])
})
