import { evolve, type SessionView } from '@holdpoint/core/session-view'
import type { Ask, AskKind, Question } from '@holdpoint/schema/ask'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../transport/errors.ts'
import { answerOf, changes, errorMessage, sessionTaken, standing } from './mapping.ts'

const SESSION = 'ses_00000000000000000000000001' as SessionId
const base = { sessionId: SESSION, at: 1000 }
const questions: Question[] = [
  {
    question: 'How should I format the output?',
    header: 'Format',
    options: [{ label: 'Summary', description: 'Brief overview' }, { label: 'Detailed' }],
    multiSelect: false,
  },
  { question: 'Which parts?', options: [{ label: 'Store' }, { label: 'Page' }], multiSelect: true },
]

function ask(id: string, kind: AskKind = 'question', more: Partial<Ask> = {}): Ask {
  const fields = { id: `ask_${id}`, sessionId: SESSION, kind, raisedAt: 1000, title: id, ...more }
  return (kind === 'question' ? { questions, ...fields } : fields) as Ask
}

/** Plays events from the start of a session, and gives back its last change. */
function play(...events: DurableEvent[]) {
  let before: SessionView | undefined
  let after = evolve(undefined, { ...base, type: 'session-started', session: { id: SESSION } as Session })
  let event: DurableEvent = { ...base, type: 'session-started', session: after.session }
  for (const next of events) {
    before = after
    event = next
    after = evolve(before, next)
  }
  return { event, before, after }
}
const raised = (one: Ask): DurableEvent => ({ ...base, type: 'ask-raised', ask: one })
const moved = (state: Session['state']): DurableEvent => ({ ...base, type: 'session-changed', changes: { state } })
const settled = (one: Ask, kind: Outcome['kind'] = 'answered'): DurableEvent => ({
  ...base,
  type: 'ask-settled',
  askId: one.id as AskId,
  outcome: { kind, at: 1000, via: 'web' },
})
const status = (is_processing: boolean, waiting_for_user: boolean, pending_question_id: string | null) => ({
  type: 'session_status',
  session_id: SESSION,
  is_processing,
  waiting_for_user,
  pending_question_id,
})
const question = (one: Ask) => ({ type: 'ask_user_question', question_id: one.id, questions })
const over = (one: Ask, error: string) => ({ type: 'ask_user_timeout', question_id: one.id, error })

describe('how a session stands', () => {
  const [first, second, command] = [ask('first'), ask('second'), ask('command', 'approval')]
  it.each([
    ['has just started', [], [status(false, false, null)]],
    ['listens', [moved('user_turn')], [status(false, false, null)]],
    ['works', [moved('assistant_turn')], [status(true, false, null)]],
    ['is over', [moved('dead')], [status(false, false, null)]],
    ['asks', [moved('assistant_turn'), raised(first)], [status(false, true, first.id), question(first)]],
    ['asks twice', [raised(first), raised(second)], [status(false, true, first.id), question(first)]],
    ['needs an approval', [moved('assistant_turn'), raised(command)], [status(false, true, null)]],
    ['needs a plan', [raised(ask('plan', 'plan'))], [status(false, true, null)]],
    ['needs a form', [raised(ask('form', 'form'))], [status(false, true, null)]],
    ['asks after both', [raised(command), raised(first)], [status(false, true, first.id), question(first)]],
  ])('that %s', (_, events, expected) => {
    expect(standing(SESSION, play(...events).after)).toEqual(expected)
  })

  it('that starts with a message for the agent: it is about to work', () => {
    const { session } = play().after
    const view = { ...play().after, session: { ...session, state: 'starting' as const, queuedMessages: 1 } }
    expect(standing(SESSION, view)).toEqual([status(true, false, null)])
  })

  it('that ended long ago', () => expect(standing(SESSION, undefined)).toEqual([status(false, false, null)]))

  it('with the time that there is from asking to expiry', () => {
    const limited = ask('limited', 'question', { raisedAt: 5000, expiresAt: 60_000 })
    expect(standing(SESSION, play(raised(limited)).after)[1]).toEqual({ ...question(limited), timeout_seconds: 55 })
  })
})

describe('what a change is told as', () => {
  const [first, second, command] = [ask('first'), ask('second'), ask('command', 'approval')]
  it.each<[string, DurableEvent[], unknown[]]>([
    ['the first question', [raised(first)], [status(false, true, first.id), question(first)]],
    ['a second question, which waits for its turn', [raised(first), raised(second)], []],
    ['an approval', [moved('assistant_turn'), raised(command)], [status(false, true, null)]],
    [
      'a question beside an approval',
      [raised(command), raised(first)],
      [status(false, true, first.id), question(first)],
    ],
    ['an approval beside a question', [raised(first), raised(command)], []],
    ['another state', [moved('assistant_turn')], [status(true, false, null)]],
    ['another state while it waits', [raised(first), moved('assistant_turn')], []],
    [
      'the end of the pending question',
      [moved('assistant_turn'), raised(first), settled(first)],
      [over(first, 'The question was answered elsewhere'), status(true, false, null)],
    ],
    [
      'the end of one of two: the next one follows',
      [raised(first), raised(second), settled(first, 'expired')],
      [over(first, 'User response timed out'), status(false, true, second.id), question(second)],
    ],
    ['the end of one that was not shown', [raised(first), raised(second), settled(second)], []],
    [
      'the end of a question beside an approval',
      [raised(first), raised(command), settled(first, 'denied')],
      [over(first, 'User cancelled the question'), status(false, true, null)],
    ],
    ['the end of an approval beside a question', [raised(command), raised(first), settled(command, 'allowed')], []],
    [
      'a withdrawal',
      [raised(first), settled(first, 'withdrawn')],
      [over(first, 'The question was withdrawn'), status(false, false, null)],
    ],
  ])('%s', (_, events, expected) => expect(changes(play(...events), false)).toEqual(expected))

  it('the handing over of the first message: a session that starts with one works all along', () => {
    const item = { id: 'itm_1', at: 1000, type: 'message', role: 'user', text: 'go', status: 'queued' } as MessageItem
    const events: DurableEvent[] = [
      moved('starting'),
      { ...base, type: 'item-added', item },
      { ...base, type: 'item-changed', itemId: item.id, changes: { status: 'sent' } },
      moved('assistant_turn'),
    ]
    const told = events.flatMap((_, index) => changes(play(...events.slice(0, index + 1)), false))
    expect(told.filter((message) => message.type === 'session_status' && !message.is_processing)).toEqual([])
  })

  it('one’s own response needs no more than the status', () => {
    const change = play(moved('assistant_turn'), raised(first), settled(first))
    expect(changes(change, true)).toEqual([status(true, false, null)])
  })
})

describe('what a response says', () => {
  const [single, multiple] = questions.map((entry) => entry.question) as [string, string]
  const say = (answers: Record<string, string>, cancelled = false) =>
    answerOf({ question_id: 'ask_1', answers, cancelled }, { questions })

  it.each([
    ['a label and several', { [single]: 'Summary', [multiple]: 'Page, Store' }, [['Summary'], ['Page', 'Store']], []],
    ['words of one’s own', { [single]: 'As a poem', [multiple]: 'Docs' }, [[], []], ['As a poem', 'Docs']],
    ['both', { [single]: 'Detailed', [multiple]: 'Store, Docs' }, [['Detailed'], ['Store']], [undefined, 'Docs']],
  ])('%s', (_, answers, selected, other) => {
    expect(say(answers)).toEqual({
      ok: true,
      answer: {
        kind: 'answer',
        answers: selected.map((labels, index) => ({
          question: index,
          selected: labels,
          ...(other[index] !== undefined && { other: other[index] }),
        })),
      },
    })
  })

  it('a cancel ends the turn, whatever else it carries', () => {
    const cancel = { ok: true, answer: { kind: 'cancel', interrupt: true } }
    expect(say({}, true)).toEqual(cancel)
    expect(say({ [single]: 'Summary', 'no such': 'thing' }, true)).toEqual(cancel)
  })

  it.each([
    ['an unknown question', { 'how should I format the output?': 'Summary' }],
    ['more text than an answer may have', { [single]: 'x'.repeat(65_537) }],
  ])('%s is no answer', (_, answers) => {
    expect(say(answers)).toEqual({ ok: false, issues: [expect.stringContaining('answers')] })
  })
})

describe('refusals', () => {
  it.each<[ErrorCode, string | undefined, string]>([
    ['not_found', 'ask_1', 'question_not_found'],
    ['not_found', undefined, 'not_found'],
    ['already_settled', 'ask_1', 'already_settled'],
    ['session_ended', undefined, 'session_ended'],
  ])('%s about %s', (code, questionId, error) => {
    const { message } = refusal(code).body.error
    const named = questionId === undefined ? {} : { question_id: questionId }
    expect(errorMessage(refusal(code), questionId)).toEqual({ type: 'error', error, message, ...named })
  })

  it('name the winner, and nothing that only serves our bookkeeping', () => {
    const by = { device: 'dev_1', name: 'Phone', role: 'owner' }
    const outcome = { kind: 'answered', at: 1500, via: 'web', by, retryKey: 'secret', answer: { kind: 'answer' } }
    expect(errorMessage(refusal('already_settled', { outcome }), 'ask_1').outcome).toEqual({
      kind: 'answered',
      at: 1.5,
      via: 'web',
      by: 'Phone',
    })
  })

  it('of an older connection', () => {
    expect(sessionTaken('ask_1')).toMatchObject({ type: 'error', error: 'session_taken', question_id: 'ask_1' })
  })
})
