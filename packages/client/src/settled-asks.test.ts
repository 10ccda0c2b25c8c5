import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { createGatewayClient } from './create-gateway-client.ts'
import { createFakeTimers } from './fixtures/fake-timers.ts'
import { createFakeTransport } from './fixtures/fake-transport.ts'

const sessionId = 'ses_1'
const session = {
  id: sessionId,
  state: 'assistant_turn',
  openAsks: 0,
  queuedMessages: 0,
} as Partial<Session> as Session

it('keeps a hundred settled asks at most, the newest, and lets go of several at a time', async () => {
  const fake = createFakeTransport()
  const time = createFakeTimers()
  const client = createGatewayClient({ transport: fake.transport, timers: time.timers })
  let seq = 10
  const tell = (event: DurableEvent) => fake.stream().frame({ type: 'event', seq: ++seq, event })
  fake.stream().open()
  fake.stream().frame({ type: 'snapshot', seq, sessions: [session], asks: [], queued: [] })
  fake.stream().caughtUp()
  const lengths: number[] = []
  for (let number = 1; number <= 150; number++) {
    const askId: AskId = `ask_${number}`
    tell({ type: 'ask-raised', sessionId, at: seq, ask: { id: askId, sessionId } as Partial<Ask> as Ask })
    const outcome = { kind: 'withdrawn', at: seq, via: 'gateway', reason: 'interrupted' } as const
    tell({ type: 'ask-settled', sessionId, at: seq, askId, outcome })
    await time.advance(100)
    const { settled } = client.getState()
    expect(settled.at(-1)?.ask.id).toBe(askId)
    lengths.push(settled.length)
  }
  expect(Math.max(...lengths)).toBe(100)
  expect(lengths.filter((length, index) => length < (lengths[index - 1] ?? 0))).toHaveLength(3)
  client.close()
})
