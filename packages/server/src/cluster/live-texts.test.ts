import type { SessionView } from '@holdpoint/core/session-view'
import type { DurableEvent, LiveEvent, Stored } from '@holdpoint/schema/event'
import type { NodeId, SessionId } from '@holdpoint/schema/id'
import { openJsonSocket } from '@holdpoint/testing/json-socket'
import { LONG, report } from '@holdpoint/testing/long'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { seededRandom } from '@holdpoint/testing/seeded-random'
import { itemId, sampleSession, sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { type LivePiece, textOf } from './live-pieces.ts'
import { createLiveReceiver } from './live-receiver.ts'
import { createLiveSender } from './live-sender.ts'
import { createNodeMessages } from './node-messages.ts'

const A: NodeId = `nod_${'a'.repeat(26)}`
const C: NodeId = `nod_${'c'.repeat(26)}`
const ID = sessionId(1)

/** A session of gateway A that somebody looks at at B, and what the two tell each other: it waits here until it is taken. */
function start() {
  const { clock, advance } = createManualClock()
  const views = new Map([[ID, { session: sampleSession(1, { node: A }) } as unknown as SessionView]])
  const log: Stored[] = []
  const read = { a: 0, b: 0 }
  const toA: string[] = []
  const toB: string[] = []
  let shown = ''
  let isWanted = true
  const events: LiveEvent[] = []
  const heard: ((text: string, from: NodeId) => void)[] = []
  const node = (name: 'a' | 'b', out: string[]) => {
    const messages = createNodeMessages({
      tell: (text) => void out.push(text),
      onTold: (listener) => {
        heard.push(listener)
        return () => {}
      },
    })
    return { messages, clock, ledger: { views: () => views, seq: () => read[name] } }
  }
  const sender = createLiveSender({ ...node('a', toB), machines: { isOurs: () => true } })
  const receiver = createLiveReceiver({
    ...node('b', toA),
    machines: { elsewhere: (session) => session?.node },
    isWanted: () => isWanted,
    publish(event) {
      events.push(event)
      if (event.type === 'text-delta') shown += event.text
    },
  })
  const [tellA, tellB] = heard as [(typeof heard)[number], (typeof heard)[number]]
  return {
    advance,
    toA,
    toB,
    events,
    /** What a page at B shows of the text in the making. */
    shown: () => shown,
    hold: (wanted: boolean) => {
      isWanted = wanted
    },
    tellB,
    /** All that A has been told, at A. */
    hearA: () => {
      for (const text of toA.splice(0)) tellA(text, C)
    },
    hearB: (from: NodeId = A) => {
      for (const text of toB.splice(0)) tellB(text, from)
    },
    live: (event: Omit<LiveEvent, 'sessionId'>) => sender.onLive({ ...event, sessionId: ID } as LiveEvent),
    say: (text: string) => sender.onLive({ type: 'text-delta', sessionId: ID, text }),
    commit(event: Omit<DurableEvent, 'sessionId' | 'at'>) {
      const seq = log.length + 1
      const stored = { seq, sessionSeq: seq, hash: '', event: { ...event, sessionId: ID, at: 0 } as DurableEvent }
      log.push(stored)
      read.a = seq
      sender.onStored([stored])
    },
    /** B reads on in the log. */
    readOn(count = log.length) {
      for (const stored of log.slice(read.b, read.b + count)) {
        read.b = stored.seq
        if (stored.event.type === 'item-added') shown = ''
        receiver.onStored([stored])
      }
    },
    behind: () => log.length - read.b,
    items: () => log.slice(0, read.b).filter(({ event }) => event.type === 'item-added').length,
  }
}
type World = ReturnType<typeof start>

const item = (text: string, n = 1) =>
  ({ type: 'item-added', item: { id: itemId(n), at: 0, type: 'message', role: 'assistant', text } }) as const

/** B looks, and A hears of it. */
function watch(world: World) {
  world.advance(1_000)
  world.hearA()
}

function flush(world: World) {
  world.advance(50)
  return world.toB.map((text) => JSON.parse(text) as { pieces: LivePiece[] })
}

describe('the text in the making of another machine’s agent', () => {
  it('is sent together while somebody looks, with what was said before, and not a while after the last word', () => {
    const world = start()
    world.say('Once ')
    expect(flush(world)).toEqual([])
    watch(world)
    world.say('upon ')
    world.say('a time')
    expect(flush(world)).toHaveLength(1)
    world.hearB()
    expect(world.shown()).toBe('Once upon a time')
    world.hold(false)
    for (let seconds = 0; seconds < 21; seconds++) watch(world)
    world.say(' there was')
    expect(flush(world)).toEqual([])
    world.hold(true)
    watch(world)
    world.say('.')
    flush(world)
    world.hearB()
    expect(world.shown()).toBe('Once upon a time there was.')
  })

  it('goes on being sent while somebody looks for long', () => {
    const world = start()
    for (let seconds = 0; seconds < 40; seconds++) watch(world)
    world.say('still here')
    flush(world)
    world.hearB()
    expect(world.shown()).toBe('still here')
  })

  it('is shown in order alone: a piece that was lost is waited for, one that comes twice or late changes nothing', () => {
    const world = start()
    watch(world)
    const piece = (text: string) => {
      world.say(text)
      flush(world)
      return world.toB.splice(0)[0] ?? ''
    }
    const [one, two, three] = [piece('one '), piece('two '), piece('three ')] as const
    world.tellB(one, A)
    world.tellB(three, A)
    expect(world.shown()).toBe('one ')
    world.tellB(two, A)
    world.tellB(two, A)
    world.tellB(one, A)
    expect(world.shown()).toBe('one two ')
    // B asks for the whole.
    watch(world)
    flush(world)
    world.hearB()
    expect(world.shown()).toBe('one two three ')
    world.commit(item('one two three'))
    world.readOn()
    world.tellB(three, A)
    expect(world.shown()).toBe('')
  })

  it('waits for the item of the text before, where it comes sooner than that', () => {
    const world = start()
    watch(world)
    world.say('first')
    flush(world)
    world.hearB()
    world.commit(item('first'))
    world.say('second')
    flush(world)
    world.hearB()
    expect(world.shown()).toBe('first')
    world.readOn()
    expect(world.shown()).toBe('second')
  })

  it('is cut to what a message can carry, between characters, and the oldest is left out where it is too much', () => {
    const world = start()
    watch(world)
    const text = `abc${'🙂ä\u0000'.repeat(8_000)}`
    world.say(text)
    const messages = flush(world)
    const pieces = messages.flatMap((message) => message.pieces)
    for (const sent of world.toB) expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(7_000)
    const parts = pieces.map(({ event }) => textOf(event))
    expect(parts.every((part) => Buffer.from(part).toString() === part)).toBe(true)
    expect(messages).toHaveLength(8)
    expect(text.endsWith(parts.join(''))).toBe(true)
    world.hearB()
    expect(world.shown()).toBe('')
  })

  it('waits for the second half of a character', () => {
    const world = start()
    watch(world)
    const [first = '', second = ''] = '🙂'.split('')
    world.say(`a${first}`)
    flush(world)
    world.hearB()
    expect(world.shown()).toBe('a')
    world.say(`${second}b`)
    flush(world)
    world.hearB()
    expect(world.shown()).toBe('a🙂b')
  })

  it('comes with inputs of calls', () => {
    const world = start()
    watch(world)
    const input = { type: 'tool-input-delta', toolUseId: 'toolu_1', name: 'Bash' } as const
    world.live({ ...input, json: '{"com' } as Omit<LiveEvent, 'sessionId'>)
    world.live({ ...input, json: 'mand":1}' } as Omit<LiveEvent, 'sessionId'>)
    flush(world)
    world.hearB()
    expect(world.events).toEqual([{ ...input, sessionId: ID, json: '{"command":1}' }])
  })

  it('is taken from nobody but the gateway of its machine, and not where it cannot be read', () => {
    const world = start()
    watch(world)
    const forged = (changes: object = {}, piece: object = {}) => {
      const event = { type: 'text-delta', sessionId: ID, text: 'forged', ...changes }
      return JSON.stringify({ type: 'live', pieces: [{ event, after: 0, at: 0, ...piece }] })
    }
    world.tellB(forged(), C)
    const malformed = [
      '',
      'null',
      '{"type":"live"',
      forged({ text: 7 }),
      forged({ more: true }),
      forged({ sessionId: 'ses_1' }),
      forged({ sessionId: sessionId(2) as SessionId }),
      forged({}, { at: -1 }),
      forged({}, { at: 1.5 }),
      forged({}, { after: null }),
    ]
    for (const text of malformed) world.tellB(text, A)
    expect(world.events).toEqual([])
    world.tellB(forged(), A)
    expect(world.shown()).toBe('forged')
  })
})

it('whatever is lost, comes twice or overtakes, a page shows the beginning of the text, and in the end all of it', () => {
  const runs = LONG ? 20_000 : 200
  for (let seed = 1; seed <= runs; seed++) {
    const random = seededRandom(seed)
    const upTo = (count: number) => Math.floor(random() * count)
    const world = start()
    const texts = ['']
    const check = () => {
      const text = texts[world.items()] ?? ''
      if (!text.startsWith(world.shown())) throw new Error(`seed ${seed}: ${world.shown()} is not of ${text}`)
    }
    for (let step = 0; step < 60; step++) {
      const what = upTo(12)
      if (what < 5) {
        const text = ['ab', '🙂'.slice(0, 1), '🙂'.slice(1), 'xyz', ' '][what] ?? ''
        texts.push((texts.pop() ?? '') + text)
        world.say(text)
      } else if (what === 5) {
        world.commit(item(texts.at(-1) ?? '', texts.length))
        texts.push('')
      } else if (what === 6) world.readOn(1)
      else if (what === 7) world.advance(50)
      else if (what === 8) watch(world)
      else if (what === 9) world.toB.splice(upTo(world.toB.length), 1)
      else if (what === 10) world.toB.unshift(...world.toB.slice(-1))
      else world.hearB()
      check()
    }
    world.readOn()
    check()
    for (let round = 0; round < 3; round++) {
      watch(world)
      world.advance(50)
      world.hearB()
      check()
    }
    const [last = ''] = texts.slice(-1)
    const whole = last.replace(/[\ud800-\udbff]$/, '')
    if (world.shown() !== whole && world.shown() !== last)
      throw new Error(`seed ${seed}: ${world.shown()}, not ${last}`)
  }
  if (LONG) report(`${runs} random runs of texts in the making`)
})

it('a page at another gateway shows what an agent is in the middle of saying, also one that comes late', async () => {
  const shared = createMemoryCluster()
  await using b = await startTestGateway(shared.node('machine b'))
  const { headers } = await b.credential({ role: 'owner' })
  await using a = await startTestGateway(shared.node('machine a'))
  const { session, agent } = await a.session()
  await until(async () => (await b.api.call('GET', `/api/sessions/${session.id}`)).status === 200, 'the session at B')
  const page = async () => {
    const socket = await openJsonSocket<{ type: string; event?: LiveEvent; partial?: LiveEvent[] }>(
      b.gateway.url,
      '/api/stream',
      headers,
    )
    socket.send({ type: 'subscribe', ref: 'all' })
    return { socket, subscribed: await socket.message(({ type }) => type === 'subscribed', 'the subscription') }
  }
  const { socket } = await page()
  const shown = () => socket.messages.map(({ type, event }) => (type === 'live' && event ? textOf(event) : '')).join('')
  await a.api.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'tell me' })
  await until(() => agent.messages.length === 1, 'the message')
  agent.start.live({ type: 'text-delta', text: 'Once upon ' })
  agent.start.live({ type: 'text-delta', text: 'a time' })
  await until(() => shown() === 'Once upon a time', 'the text')
  const late = await page()
  expect(late.subscribed.partial).toEqual([{ type: 'text-delta', sessionId: session.id, text: 'Once upon a time' }])
  await agent.say('Once upon a time.')
  const isItem = ({ event }: { event?: { type: string } }) => event?.type === 'item-added'
  await until(() => socket.messages.filter(isItem).length === 2, 'the item')
  expect(shown()).toBe('Once upon a time')
})
