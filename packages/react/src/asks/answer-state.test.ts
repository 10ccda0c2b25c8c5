import type { Outcome } from '@holdpoint/schema/outcome'
import { describe, expect, it } from 'vitest'
import { type AnswerEvent, type AnswerState, answerReducer, initialAnswerState } from './answer-state.ts'

const ANN = { device: 'dev_1', name: 'Ann', role: 'owner' } as const
const allowed: Outcome = { kind: 'allowed', at: 1, via: 'web', by: ANN, answer: { kind: 'allow' } }
const denied: Outcome = { kind: 'denied', at: 1, via: 'web', by: ANN, answer: { kind: 'deny', message: 'no' } }
const expired: Outcome = { kind: 'expired', at: 1, via: 'gateway' }
const press: AnswerEvent = { type: 'pressed', answer: { kind: 'allow', digest: 'd1' } }

function after(...events: AnswerEvent[]): AnswerState {
  return events.reduce(answerReducer, initialAnswerState(undefined))
}

const changed: Outcome = { kind: 'withdrawn', at: 1, via: 'gateway', reason: 'changed' }
const refused = { ok: false, status: 409, code: 'changed', message: 'The file has changed.' } as const

describe('answering one ask', () => {
  it('is submitting from the press until the gateway says what it recorded', () => {
    expect(after(press)).toEqual({ kind: 'submitting', answer: press.answer, overdue: false })
    expect(after(press, { type: 'replied', result: { ok: true, value: allowed } })).toMatchObject({
      kind: 'settled-here',
      outcome: allowed,
    })
  })

  it('settles by the event that overtakes the reply, and the reply confirms it', () => {
    const early = after(press, { type: 'settled', outcome: allowed })
    expect(early).toMatchObject({ kind: 'settled-here', outcome: allowed })
    expect(early).not.toHaveProperty('lostRace')
    const late = answerReducer(early, { type: 'replied', result: { ok: true, value: allowed } })
    expect(late).toMatchObject({ kind: 'settled-here' })
  })

  it('says who won when the event of another answer comes first (I1)', () => {
    expect(after(press, { type: 'settled', outcome: denied })).toMatchObject({
      kind: 'settled-elsewhere',
      outcome: denied,
      lostRace: true,
    })
  })

  it('takes back that it won when the reply names another winner with the same answer (I1)', () => {
    const refused = { ok: false, status: 409, code: 'already_settled', message: '', outcome: allowed } as const
    const state = after(press, { type: 'settled', outcome: allowed }, { type: 'replied', result: refused })
    expect(state).toMatchObject({ kind: 'settled-elsewhere', lostRace: true })
  })

  it('knows its own answer whatever the order of its keys', () => {
    const answer = {
      kind: 'allow',
      remember: { scope: 'session' },
      updatedInput: { a: 1, b: [{ c: 1, d: 2 }] },
    } as const
    const recorded = { updatedInput: { b: [{ d: 2, c: 1 }], a: 1 }, remember: { scope: 'session' }, kind: 'allow' }
    const state = after(
      { type: 'pressed', answer: { ...answer, updatedInput: { ...answer.updatedInput }, digest: 'd1' } },
      { type: 'settled', outcome: { ...allowed, answer: recorded } },
    )
    expect(state.kind).toBe('settled-here')
  })

  it.each([
    ['digest_mismatch', 'This ask has changed: check it again. Your answer was not sent.'],
    ['forbidden', 'You may not.'],
  ])('shows a refusal and can be answered again: %s (I2)', (code, message) => {
    const state = after(press, { type: 'replied', result: { ok: false, status: 409, code, message: 'You may not.' } })
    expect(state).toEqual({ kind: 'failed', message })
    expect(answerReducer(state, press).kind).toBe('submitting')
  })

  it('tells the issues of an answer that did not fit', () => {
    const result = { ok: false, status: 422, code: 'invalid_answer', message: 'Refused:', issues: ['a', 'b'] } as const
    expect(after(press, { type: 'replied', result })).toEqual({ kind: 'failed', message: 'Refused: a b' })
  })

  it.each([
    [
      'the event',
      [
        { type: 'settled', outcome: changed },
        { type: 'replied', result: refused },
      ],
    ],
    [
      'the reply',
      [
        { type: 'replied', result: refused },
        { type: 'settled', outcome: changed },
      ],
    ],
  ] as const)('says that an answer to what has changed did not count, whichever comes first: %s (T63)', (_, events) => {
    expect(after(press, ...events)).toMatchObject({ kind: 'withdrawn', lostRace: true })
  })

  it('says that an answer is late, and lets the person stop waiting without believing anything', () => {
    expect(after(press, { type: 'overdue' })).toMatchObject({ kind: 'submitting', overdue: true })
    expect(after(press, { type: 'gave-up' })).toEqual({ kind: 'pending', gaveUp: true })
    expect(after(press, { type: 'gave-up' }, { type: 'settled', outcome: allowed }).kind).toBe('settled-elsewhere')
  })

  it('never sends twice: a press while one is under way or after the end changes nothing (T30)', () => {
    const submitting = after(press)
    expect(answerReducer(submitting, { type: 'pressed', answer: { kind: 'deny' } })).toBe(submitting)
    const settled = after({ type: 'settled', outcome: denied })
    expect(answerReducer(settled, press)).toBe(settled)
  })

  it('tells expiry from denial, also under a press', () => {
    expect(after({ type: 'settled', outcome: expired })).toEqual({ kind: 'expired', outcome: expired })
    expect(after(press, { type: 'settled', outcome: expired })).toMatchObject({ kind: 'expired', lostRace: true })
  })

  it('starts settled for an ask that has its outcome', () => {
    expect(initialAnswerState(denied)).toEqual({ kind: 'settled-elsewhere', outcome: denied })
  })
})
