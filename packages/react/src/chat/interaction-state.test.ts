import { describe, expect, it } from 'vitest'
import { type InteractionState, interactionReducer, shownState } from './interaction-state.ts'

const sent = { kind: 'approve' } as const
const PENDING: InteractionState = { kind: 'pending' }
const SUBMITTING: InteractionState = { kind: 'submitting', sent }
const unsettled = { settled: undefined, isLate: false }
const replied = (code: 'not_found' | 'already_settled' | 'invalid' | 'refused') =>
  interactionReducer(SUBMITTING, { type: 'replied', result: { ok: false, code, message: 'no' } })

describe('an interaction', () => {
  it('goes from pending over submitting to submitted', () => {
    const pressed = interactionReducer(PENDING, { type: 'pressed', sent })
    expect(pressed).toEqual(SUBMITTING)
    expect(interactionReducer(pressed, { type: 'replied', result: { ok: true } })).toEqual({ kind: 'submitted', sent })
  })

  it('is pending again, with words, when it was refused or did not get through', () => {
    for (const code of ['invalid', 'refused'] as const) expect(replied(code)).toEqual({ kind: 'pending', error: 'no' })
    expect(interactionReducer(SUBMITTING, { type: 'faulted', message: 'gone' })).toEqual({
      kind: 'pending',
      error: 'gone',
    })
  })

  it('takes no second press, and no reply that it does not wait for', () => {
    expect(interactionReducer(SUBMITTING, { type: 'pressed', sent: { kind: 'deny' } })).toBe(SUBMITTING)
    expect(interactionReducer(PENDING, { type: 'replied', result: { ok: true } })).toBe(PENDING)
  })

  it('waits for its own reply while an answer is under way, whatever it is told', () => {
    const told = { settled: { outcome: 'expired' }, isLate: true } as const
    expect(shownState(SUBMITTING, told)).toBe(SUBMITTING)
    expect(shownState({ kind: 'submitted', sent }, told)).toEqual({ kind: 'submitted', sent })
  })

  it('times out by the clock or by the event, and an event says more than the clock', () => {
    expect(shownState(PENDING, { settled: undefined, isLate: true })).toEqual({ kind: 'timed-out', tooLate: false })
    expect(shownState(PENDING, { settled: { outcome: 'expired' }, isLate: false }).kind).toBe('timed-out')
    expect(shownState(PENDING, { settled: { outcome: 'answered' }, isLate: true }).kind).toBe('elsewhere')
  })

  it('says that an answer came too late, and for what', () => {
    expect(shownState(replied('already_settled'), unsettled)).toEqual({ kind: 'elsewhere', tooLate: true })
    expect(shownState(replied('already_settled'), { settled: { outcome: 'expired' }, isLate: false })).toEqual({
      kind: 'timed-out',
      tooLate: true,
    })
    expect(shownState(replied('not_found'), unsettled)).toEqual({ kind: 'elsewhere', tooLate: false })
  })
})
