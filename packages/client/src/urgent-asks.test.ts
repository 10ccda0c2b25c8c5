import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { createGatewayClient } from './create-gateway-client.ts'
import { createFakeTimers, settled } from './fixtures/fake-timers.ts'
import { createFakeTransport } from './fixtures/fake-transport.ts'

const sessionId = 'ses_1'
const session = {
  id: sessionId,
  state: 'assistant_turn',
  openAsks: 0,
  queuedMessages: 0,
} as Partial<Session> as Session

it('shows an ask within a frame, however busy its session is, and what agents do besides a little later', async () => {
  const fake = createFakeTransport()
  const time = createFakeTimers()
  const client = createGatewayClient({ transport: fake.transport, timers: time.timers })
  let seq = 10
  const tell = (event: DurableEvent) => fake.stream().frame({ type: 'event', seq: ++seq, event })
  const turn = (state: Session['state']) =>
    tell({ type: 'session-changed', sessionId, at: seq, changes: { state } } as DurableEvent)
  fake.stream().open()
  fake.stream().frame({ type: 'snapshot', seq, sessions: [session], asks: [], queued: [] })
  fake.stream().caughtUp()
  await time.advance(1000)

  turn('user_turn')
  await settled()
  turn('assistant_turn')
  await time.advance(20)
  expect(client.getState().sessions.get(sessionId)?.state).toBe('user_turn')
  tell({ type: 'ask-raised', sessionId, at: seq, ask: { id: 'ask_1', sessionId } as Partial<Ask> as Ask })
  await settled()
  expect(client.getState().asks).toHaveLength(1)
  expect(client.getState().sessions.get(sessionId)?.state).toBe('assistant_turn')
  client.close()
})
