import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { settled } from './fixtures/fake-timers.ts'
import { createLiveClient, SESSION_ID } from './fixtures/live-client.ts'

const sessionId = SESSION_ID

it('shows an ask within a frame, however busy its session is, and what agents do besides a little later', async () => {
  const { client, time, tell } = createLiveClient()
  const turn = (state: Session['state']) =>
    tell({ type: 'session-changed', sessionId, at: 0, changes: { state } } as DurableEvent)
  await time.advance(1000)

  turn('user_turn')
  await settled()
  turn('assistant_turn')
  await time.advance(20)
  expect(client.getState().sessions.get(sessionId)?.state).toBe('user_turn')
  tell({ type: 'ask-raised', sessionId, at: 0, ask: { id: 'ask_1', sessionId } as Partial<Ask> as Ask })
  await settled()
  expect(client.getState().asks).toHaveLength(1)
  expect(client.getState().sessions.get(sessionId)?.state).toBe('assistant_turn')
  client.close()
})
