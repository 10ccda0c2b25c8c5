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

it('shows no ask that a rule settles as it is raised, and one whose outcome does not follow a moment later', async () => {
  const { client, time, tell } = createLiveClient()
  await time.advance(1000)
  const raise = (id: string) => {
    const ask = { id, sessionId, kind: 'approval' } as Partial<Ask> as Ask
    tell({ type: 'ask-raised', sessionId, at: 0, ask })
  }
  const pictures: (readonly string[])[] = []
  client.subscribe(() => pictures.push(client.getState().asks.map(({ id }) => id)))

  raise('ask_ruled')
  await settled()
  const outcome = { kind: 'allowed', at: 0, via: 'rule' } as const
  tell({ type: 'ask-settled', sessionId, at: 0, askId: 'ask_ruled', outcome })
  await time.advance(1000)
  expect(pictures.flat()).toEqual([])
  expect(client.getState().settled).toEqual([])

  raise('ask_open')
  await settled()
  expect(client.getState().asks).toEqual([])
  await time.advance(100)
  await time.advance(20)
  expect(client.getState().asks).toMatchObject([{ id: 'ask_open' }])
  client.close()
})
