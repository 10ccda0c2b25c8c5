import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { MessageItem } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { describe, expect, it } from 'vitest'
import { evolve, type SessionView } from './session-view.ts'

const sessionId = 'ses_00000000000000000000000001'
const at = 1000
const session = {
  id: sessionId,
  state: 'starting',
  epoch: 1,
  openAsks: 0,
  queuedMessages: 0,
  stateChangedAt: 0,
} as unknown as Session
const ask = { ...askRequest(), id: 'ask_00000000000000000000000001', sessionId, epoch: 1 } as unknown as Ask
const message = {
  id: 'itm_00000000000000000000000001',
  at,
  type: 'message',
  role: 'user',
  text: 'hi',
  status: 'queued',
} as MessageItem

function fold(...events: DurableEvent[]): SessionView {
  let view = evolve(undefined, { type: 'session-started', sessionId, at: 0, session })
  for (const event of events) view = evolve(view, event)
  return view
}
const raised: DurableEvent = { type: 'ask-raised', sessionId, at, ask }
const settled: DurableEvent = {
  type: 'ask-settled',
  sessionId,
  at,
  askId: ask.id,
  outcome: { kind: 'denied', at, via: 'api' },
}

describe('the view of a session', () => {
  it('counts open asks up and down', () => {
    expect(fold(raised).session.openAsks).toBe(1)
    expect(fold(raised, settled).session.openAsks).toBe(0)
  })

  it('keeps a settled ask until its outcome has reached the agent', () => {
    expect([...fold(raised, settled).undelivered.keys()]).toEqual([ask.id])
    expect(fold(raised, settled, { type: 'ask-delivered', sessionId, at, askId: ask.id }).undelivered.size).toBe(0)
  })

  it('[I1] does not fold a second outcome', () => {
    expect(() => fold(raised, settled, settled)).toThrow('not open')
  })

  it('[I5] keeps a yes to an appeal for this turn, this life and this mode of the agent', () => {
    const appealed: DurableEvent = { ...raised, ask: { ...ask, appeal: { reason: 'refused' } } }
    const allowed: DurableEvent = { ...settled, outcome: { kind: 'allowed', at, via: 'api' } }
    const changed = (changes: Partial<Session>): DurableEvent => ({ type: 'session-changed', sessionId, at, changes })
    const grants = (...events: DurableEvent[]) => [...(fold(...events).grants ?? [])]
    expect(grants(appealed, allowed)).toEqual([ask.id])
    expect(grants(appealed, allowed, changed({ title: 'x' }))).toEqual([ask.id])
    for (const changes of [{ state: 'user_turn' }, { epoch: 2 }, { permissionMode: 'default' }] as const) {
      expect(grants(appealed, allowed, changed(changes)), JSON.stringify(changes)).toEqual([])
    }
    expect(grants(appealed, settled)).toEqual([])
    expect(grants(raised, allowed)).toEqual([])
  })

  it('keeps messages in order until they are sent or taken back', () => {
    const second = { ...message, id: 'itm_00000000000000000000000002' } as MessageItem
    const added: DurableEvent[] = [message, second].map((item) => ({ type: 'item-added', sessionId, at, item }))
    const sent: DurableEvent = { type: 'item-changed', sessionId, at, itemId: message.id, changes: { status: 'sent' } }
    expect(fold(...added).queue.map((item) => item.id)).toEqual([message.id, second.id])
    expect(fold(...added, sent)).toMatchObject({
      session: { queuedMessages: 1 },
      sent: { id: message.id, status: 'sent' },
    })
    const cancelled: DurableEvent = {
      type: 'item-changed',
      sessionId,
      at,
      itemId: second.id,
      changes: { status: 'cancelled' },
    }
    expect(fold(...added, sent, cancelled)).toMatchObject({ queue: [], sent: { id: message.id } })
  })

  it('notes when the state changed, and only then', () => {
    const move = (state: Session['state'], when: number): DurableEvent => ({
      type: 'session-changed',
      sessionId,
      at: when,
      changes: { state },
    })
    expect(fold(move('user_turn', 5), move('user_turn', 9)).session.stateChangedAt).toBe(5)
  })

  it('a new life clears what ended the old one', () => {
    const ended: DurableEvent = {
      type: 'session-ended',
      sessionId,
      at,
      reason: 'error',
      error: { code: 'x', message: 'y' },
    }
    const alarm: DurableEvent = { type: 'alarm', sessionId, at, code: 'ran-changed', message: 'z' }
    expect(fold(alarm, ended).session).toMatchObject({ state: 'dead', endReason: 'error', frozen: true })
    const revived = fold(alarm, ended, {
      type: 'session-changed',
      sessionId,
      at,
      changes: { state: 'starting', epoch: 2 },
    }).session
    expect(revived).toMatchObject({ state: 'starting', epoch: 2 })
    expect(revived).not.toHaveProperty('error')
    expect(revived).not.toHaveProperty('frozen')
  })

  it('never changes the view it was given', () => {
    const view = fold(raised)
    evolve(view, settled)
    expect(view.asks.size).toBe(1)
  })
})
