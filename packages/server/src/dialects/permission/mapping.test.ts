import { whyNotRemembered } from '@holdpoint/core/remembering'
import { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import { type Outcome, WithdrawReason } from '@holdpoint/schema/outcome'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { describe, expect, it } from 'vitest'
import { refusal, STATUS } from '../../transport/errors.ts'
import { answerOf, askedEvent, failureOf, repliedEvent, requestOf, successOf } from './mapping.ts'
import { ReplyBody } from './messages.ts'

const ask = (given: Partial<Ask> = {}): Ask => ({
  ...askRequest(),
  id: 'ask_1',
  sessionId: 'ses_1',
  agent: 'claude',
  epoch: 1,
  digest: 'd',
  raisedAt: 5,
  remember: { key: 'k', rule: 'Bash(echo hello) in /somewhere' },
  ...given,
})
const person = { device: 'dev_1', name: 'phone', role: 'owner' } as const
const outcome = (given: Partial<Outcome>): Outcome => ({ kind: 'allowed', at: 9, via: 'permission', ...given })

describe('a request', () => {
  it('says what the agent says of it, and else what it is: its description is never empty', () => {
    expect(requestOf(ask({ agentSays: 'make a file' })).metadata.description).toBe('make a file')
    expect(requestOf(ask({ title: 'WebFetch: https://a.example' })).metadata.description).toBe(
      'WebFetch: https://a.example',
    )
  })

  it('is told whole', () => {
    expect(askedEvent(ask())).toEqual({ type: 'permission.asked', properties: { request: requestOf(ask()) } })
  })
})

describe('a reply', () => {
  it.each([
    ['approval', { reply: 'allow' }, { kind: 'allow' }],
    ['approval', { reply: 'allow', message: 'fine' }, { kind: 'allow' }],
    ['approval', { reply: 'always' }, { kind: 'allow', remember: { scope: 'session' } }],
    ['approval', { reply: 'deny' }, { kind: 'deny' }],
    ['approval', { reply: 'deny', message: '' }, { kind: 'deny' }],
    ['approval', { reply: 'deny', message: null }, { kind: 'deny' }],
    ['approval', { reply: 'deny', message: 'not now' }, { kind: 'deny', message: 'not now' }],
    ['plan', { reply: 'allow' }, { kind: 'allow' }],
    ['plan', { reply: 'always' }, { kind: 'allow' }],
    ['plan', { reply: 'deny', message: 'shorter' }, { kind: 'deny', message: 'shorter' }],
  ] as const)('to a(n) %s: %j', (kind, body, expected) => {
    const answer = answerOf({ kind }, ReplyBody.parse(body))
    expect(answer).toEqual(expected)
    expect(Answer.safeParse(answer).success).toBe(true)
  })

  it.each([
    [{}],
    [{ reply: 'ALLOW' }],
    [{ reply: 'maybe' }],
    [{ reply: true }],
    [{ reply: ['allow'] }],
    [{ reply: 'deny', message: 7 }],
    // Whoever sends an edited input must not believe that it was what ran.
    [{ reply: 'allow', updatedInput: { command: 'ls' } }],
    ['allow'],
    [null],
  ])('is refused: %j', (body) => expect(ReplyBody.safeParse(body).success).toBe(false))

  it('succeeds, and says of always whether it was remembered', () => {
    const rule = 'rul_1' as const
    expect(successOf({ reply: 'allow' }, outcome({}))).toEqual({ success: true })
    expect(successOf({ reply: 'deny' }, outcome({ kind: 'denied' }))).toEqual({ success: true })
    expect(successOf({ reply: 'always' }, outcome({ rule }))).toEqual({ success: true, remembered: true })
    expect(successOf({ reply: 'always' }, outcome({ notRemembered: 'why' }))).toEqual({
      success: true,
      remembered: false,
      reason: 'why',
    })
    expect(successOf({ reply: 'always' }, outcome({}))).toMatchObject({ remembered: false, reason: expect.any(String) })
  })
})

describe('the end of a request', () => {
  const ended = (given: Partial<Outcome>) => repliedEvent(ask(), outcome(given)).properties
  const remember = { kind: 'allow', remember: { scope: 'session' } }

  it('names session and request', () => {
    expect(repliedEvent(ask(), outcome({ by: person }))).toEqual({
      type: 'permission.replied',
      properties: { sessionId: 'ses_1', requestId: 'ask_1', reply: 'allow' },
    })
  })

  it.each<[Partial<Outcome>, object]>([
    [{ kind: 'denied', by: person }, { reply: 'deny' }],
    [{ answer: remember, rule: 'rul_1' }, { reply: 'always' }],
    [{ answer: remember, notRemembered: 'why' }, { reply: 'allow' }],
    [
      { via: 'web', by: person },
      { reply: 'allow', reason: 'answered-elsewhere' },
    ],
    [
      { via: 'web', answer: remember, rule: 'rul_1' },
      { reply: 'always', reason: 'answered-elsewhere' },
    ],
    [
      { via: 'api', kind: 'denied', by: person },
      { reply: 'deny', reason: 'answered-elsewhere' },
    ],
    [
      { via: 'rule', rule: 'rul_1' },
      { reply: 'allow', reason: 'rule' },
    ],
    [
      { kind: 'expired', via: 'gateway' },
      { reply: 'deny', reason: 'timeout' },
    ],
    [
      { kind: 'withdrawn', via: 'gateway', reason: 'interrupted' },
      { reply: 'deny', reason: 'aborted' },
    ],
    [
      { kind: 'withdrawn', via: 'gateway', reason: 'session-ended' },
      { reply: 'deny', reason: 'aborted' },
    ],
    [
      { kind: 'withdrawn', via: 'gateway', reason: 'agent-cancelled' },
      { reply: 'deny', reason: 'cancelled' },
    ],
    [
      { kind: 'withdrawn', via: 'gateway', reason: 'orphaned' },
      { reply: 'deny', reason: 'orphaned' },
    ],
    [
      { kind: 'withdrawn', via: 'gateway', reason: 'answered-elsewhere' },
      { reply: 'deny', reason: 'answered-elsewhere' },
    ],
    [
      { kind: 'withdrawn', via: 'gateway', reason: 'not known yet' },
      { reply: 'deny', reason: 'aborted' },
    ],
  ])('%j', (given, expected) => {
    const { sessionId, requestId, ...how } = ended(given)
    expect(how).toEqual(expected)
  })

  it('I4 is a permission only where the outcome is one', () => {
    for (const reason of WithdrawReason.options) expect(ended({ kind: 'withdrawn', reason }).reply).toBe('deny')
    for (const kind of ['denied', 'expired', 'withdrawn'] as const)
      expect(ended({ kind, answer: remember, rule: 'rul_1' }).reply).toBe('deny')
  })
})

describe('a refusal', () => {
  it("has the permission protocol's words where it has some", () => {
    expect(failureOf(refusal('not_found'))).toEqual({ success: false, error: 'Request not found' })
    expect(failureOf(refusal('already_settled'))).toEqual({ success: false, error: 'Request expired or not found' })
  })

  it('says what is wrong with a body', () => {
    expect(failureOf(refusal('bad_request', { issues: ['reply: no', 'message: no'] })).error).toBe(
      'reply: no; message: no',
    )
  })

  it('is text whatever it is', () => {
    for (const code of Object.keys(STATUS) as ErrorCode[])
      expect(failureOf(refusal(code))).toEqual({ success: false, error: expect.stringMatching(/./) })
  })
})

it('offers no patterns where always would not be remembered', () => {
  const forbidden = ask({ flags: { defaultToNo: false, noRemember: true } })
  expect(whyNotRemembered(forbidden)).toBeDefined()
  expect(requestOf(forbidden).patterns).toEqual([])
  expect(requestOf(ask()).patterns).toEqual(['echo hello'])
})
