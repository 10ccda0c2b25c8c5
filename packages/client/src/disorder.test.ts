import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { Session } from '@holdpoint/schema/session'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGatewayClient } from './create-gateway-client.ts'
import { createFakeTimers } from './fixtures/fake-timers.ts'
import { createFakeTransport } from './fixtures/fake-transport.ts'

const sessionId = 'ses_1' as const
const session: Partial<Session> = { id: sessionId, state: 'assistant_turn', openAsks: 0, queuedMessages: 0 }

/** A run: asks are raised and settled. */
function run(steps: readonly boolean[]): DurableEvent[] {
  const open: string[] = []
  return steps.map((raises, index): DurableEvent => {
    const base = { sessionId, at: index }
    const oldest = raises ? undefined : open.shift()
    if (oldest !== undefined) {
      const outcome = { kind: 'denied', at: index, via: 'api' } as const
      return { ...base, type: 'ask-settled', askId: oldest as Ask['id'], outcome }
    }
    const id = `ask_${index}` as Ask['id']
    open.push(id)
    const askedBecause = { reason: 'No rule.' }
    const ask = { ...askRequest(), id, sessionId, agent: 'a', epoch: 1, digest: 'd', raisedAt: index, askedBecause }
    return { ...base, type: 'ask-raised', ask }
  })
}

/** What goes wrong on the way: a frame comes again, an older one comes late. */
const Disorder = fc.array(fc.nat(1000), { maxLength: 40 })

it('F16 frames that a proxy repeats or brings late change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), Disorder, async (steps, disorder) => {
      const time = createFakeTimers()
      const fake = createFakeTransport()
      const client = createGatewayClient({ transport: fake.transport, timers: time.timers, random: () => 0 })
      const events = run(steps)
      fake.stream().open()
      fake
        .stream()
        .frame({ type: 'snapshot', seq: 10, cursor: '10-a', sessions: [session as Session], asks: [], queued: [] })
      fake.stream().caughtUp()
      const frames = events.map((event, index) => ({
        type: 'event' as const,
        seq: 11 + index,
        cursor: `${11 + index}-a`,
        event,
      }))
      for (const [index, frame] of frames.entries()) {
        fake.stream().frame(frame)
        // Whatever came before may come again, in any order.
        for (const pick of disorder.filter((number) => number % frames.length === index)) {
          const late = frames[pick % (index + 1)]
          if (late) fake.stream().frame(late)
        }
      }
      await time.advance(100)
      const expected = events
        .flatMap((event) => (event.type === 'ask-raised' ? [event.ask.id] : []))
        .filter((id) => !events.some((event) => event.type === 'ask-settled' && event.askId === id))
      const state = client.getState()
      expect(state.link).toBe('live')
      expect(state.asks.map(({ id }) => id)).toEqual(expected)
      expect(state.sessions.get(sessionId)?.openAsks).toBe(expected.length)
      client.close()
    }),
    { numRuns: 60 },
  )
})
