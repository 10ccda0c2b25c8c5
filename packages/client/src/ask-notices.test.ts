import type { Ask } from '@holdpoint/schema/ask'
import { expect, it } from 'vitest'
import { createLiveClient, SESSION_ID } from './fixtures/live-client.ts'

const sessionId = SESSION_ID
const ask = { id: 'ask_1', sessionId, raisedBy: { name: 'a test' } } as unknown as Ask
const PHONE = { id: 'dev_1', name: 'Phone' } as const

it('knows who was told of an open ask and who has seen it, and forgets that once it is settled', async () => {
  const { client, time, tell } = createLiveClient()
  tell({ type: 'ask-raised', sessionId, at: 1, ask })
  await time.advance(100)
  tell({ type: 'asks-notified', sessionId, at: 2, askIds: [ask.id, 'ask_gone'], to: PHONE, step: 'sent' })
  tell({ type: 'asks-notified', sessionId, at: 3, askIds: [ask.id], to: PHONE, step: 'shown' })
  tell({ type: 'ask-seen', sessionId, at: 4, askId: ask.id, by: { device: PHONE.id, name: 'Phone', role: 'owner' } })
  await time.advance(100)
  expect([...client.getState().notices.keys()]).toEqual([ask.id])
  expect(client.getState().notices.get(ask.id)).toEqual({
    askId: ask.id,
    notified: [
      { to: PHONE, step: 'sent', at: 2 },
      { to: PHONE, step: 'shown', at: 3 },
    ],
    seen: [{ by: { device: PHONE.id, name: 'Phone', role: 'owner' }, at: 4 }],
  })

  const outcome = { kind: 'withdrawn', at: 5, via: 'gateway', reason: 'interrupted' } as const
  tell({ type: 'ask-settled', sessionId, at: 5, askId: ask.id, outcome })
  tell({ type: 'asks-notified', sessionId, at: 6, askIds: [ask.id], to: PHONE, step: 'shown' })
  await time.advance(100)
  expect(client.getState().notices.size).toBe(0)
  client.close()
})

it('keeps the same notices while nothing happens to them, so that no card is drawn again', async () => {
  const { client, time, tell } = createLiveClient()
  tell({ type: 'ask-raised', sessionId, at: 1, ask })
  tell({ type: 'asks-notified', sessionId, at: 2, askIds: [ask.id], to: PHONE, step: 'sent' })
  await time.advance(100)
  const { notices } = client.getState()
  tell({ type: 'ask-raised', sessionId, at: 3, ask: { ...ask, id: 'ask_2' } })
  await time.advance(100)
  expect(client.getState().asks).toHaveLength(2)
  expect(client.getState().notices).toBe(notices)
  client.close()
})
