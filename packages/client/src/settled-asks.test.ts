import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import { createLiveClient, SESSION_ID } from './fixtures/live-client.ts'

const sessionId = SESSION_ID

it('keeps a hundred settled asks at most, the newest, and lets go of several at a time', async () => {
  const { client, time, tell } = createLiveClient()
  const lengths: number[] = []
  for (let number = 1; number <= 150; number++) {
    const askId: AskId = `ask_${number}`
    tell({ type: 'ask-raised', sessionId, at: 0, ask: { id: askId, sessionId } as Partial<Ask> as Ask })
    const outcome = { kind: 'withdrawn', at: 0, via: 'gateway', reason: 'interrupted' } as const
    tell({ type: 'ask-settled', sessionId, at: 0, askId, outcome })
    await time.advance(100)
    const { settled } = client.getState()
    expect(settled.at(-1)?.ask.id).toBe(askId)
    lengths.push(settled.length)
  }
  expect(Math.max(...lengths)).toBe(100)
  expect(lengths.filter((length, index) => length < (lengths[index - 1] ?? 0))).toHaveLength(3)
  client.close()
})
