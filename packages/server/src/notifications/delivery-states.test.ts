import type { Stored } from '@holdpoint/schema/event'
import { askId, PHONE, sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import { createNodeMessages } from '../cluster/node-messages.ts'
import { createDeliveryStates } from './delivery-states.ts'

function start() {
  let publish = (_stored: readonly Stored[]) => {}
  let hear = (_text: string) => {}
  const told: string[] = []
  const states = createDeliveryStates({
    ledger: {
      subscribe(listener) {
        publish = listener
        return () => {}
      },
    },
    messages: createNodeMessages({
      tell: (text) => void told.push(text),
      onTold(listener) {
        hear = (text) => listener(text, `nod_${'b'.repeat(26)}`)
        return () => {}
      },
    }),
  })
  return {
    states,
    told,
    hear: (text: string) => hear(text),
    notified(step: 'sent' | 'shown' | 'failed', at: number, reason?: string) {
      const what = { to: PHONE, step, at, ...(reason !== undefined && { reason }) }
      const event = { type: 'asks-notified' as const, sessionId: sessionId(1), askIds: [askId(1)], ...what }
      publish([{ seq: at, sessionSeq: at, hash: '', event }])
    },
  }
}

it('the way to a receiver is known from the log, whichever gateway has sent', () => {
  const { states, notified } = start()
  notified('sent', 1)
  notified('shown', 2)
  notified('failed', 3, 'gone')
  notified('sent', 4)
  expect(states.of(PHONE.id)).toEqual({ sentAt: 4, shownAt: 2, failed: { at: 3, reason: 'gone' } })
})

it('the way to a receiver is told to the other gateways, and the last step counts in whatever order they come', () => {
  const { states, told, hear } = start()
  states.note(PHONE.id, { sentAt: 7 })
  states.note(PHONE.id, { failed: { at: 8, reason: 'x'.repeat(9_000) } })
  for (const text of told) expect(Buffer.byteLength(text)).toBeLessThan(1_000)
  const other = start()
  for (const text of told.toReversed()) other.hear(text)
  expect(other.states.of(PHONE.id)).toEqual({ sentAt: 7, failed: { at: 8, reason: 'x'.repeat(300) } })
  hear(JSON.stringify({ type: 'delivery', to: PHONE.id, state: { sentAt: 5, failed: { at: 6, reason: 'before' } } }))
  expect(states.of(PHONE.id)).toMatchObject({ sentAt: 7, failed: { at: 8 } })
})
