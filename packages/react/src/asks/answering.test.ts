import type { GatewayClient, Result } from '@holdpoint/client/gateway-client'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { answeringOf, answerTogether, OVERDUE_MS } from './answering.ts'

const outcome: Outcome = { kind: 'allowed', at: 1, via: 'web', answer: { kind: 'allow' } }
const allow: Answer = { kind: 'allow', digest: 'd1' }

const anAsk = (id: `ask_${string}`, digest = 'd1') => sampleAsk({ id, digest })

/** A client whose answers wait until the test says what the gateway says. */
function aClient() {
  const sent: { ask: Ask; answer: Answer; resolve(result: Result<Outcome>): void; reject(fault: unknown): void }[] = []
  const send = (ask: Ask, answer: Answer, signal?: AbortSignal) =>
    new Promise<Result<Outcome>>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      sent.push({ ask, answer, resolve, reject })
    })
  const client: Pick<GatewayClient, 'answer' | 'answerAll'> = {
    answer: (ask, answer, options) => send(ask, answer, options?.signal),
    answerAll: (answers) =>
      Promise.all(answers.map(async ({ ask, answer }) => ({ ask, result: await send(ask, answer) }))),
  }
  return { sent, client: client as GatewayClient }
}

describe('answering through a client', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('sends one answer for two presses, also from two cards of the same ask (T30)', async () => {
    const { client, sent } = aClient()
    const ask = anAsk('ask_1')
    answeringOf(client, ask).answer(allow)
    answeringOf(client, { ...ask }).answer({ kind: 'deny', digest: 'd1' })
    expect(sent).toHaveLength(1)
    sent[0]?.resolve({ ok: true, value: outcome })
    await vi.waitFor(() => expect(answeringOf(client, ask).getState().kind).toBe('settled-here'))
  })

  it('keeps asks of another digest apart (I2)', () => {
    const { client } = aClient()
    answeringOf(client, anAsk('ask_1', 'd1')).answer(allow)
    expect(answeringOf(client, anAsk('ask_1', 'd2')).getState()).toEqual({ kind: 'pending' })
  })

  it('says after a while that nothing was sent yet, and stops waiting when asked to', async () => {
    const { client } = aClient()
    const answering = answeringOf(client, anAsk('ask_1'))
    answering.answer(allow)
    vi.advanceTimersByTime(OVERDUE_MS - 1)
    expect(answering.getState()).toMatchObject({ kind: 'submitting', overdue: false })
    vi.advanceTimersByTime(1)
    expect(answering.getState()).toMatchObject({ kind: 'submitting', overdue: true })
    answering.cancelWaiting()
    await vi.waitFor(() => expect(answering.getState()).toEqual({ kind: 'pending', gaveUp: true }))
  })

  it('fails with the words of a fault, and can be pressed again', async () => {
    const { client, sent } = aClient()
    const answering = answeringOf(client, anAsk('ask_1'))
    answering.answer(allow)
    sent[0]?.reject(new Error('the client is closed'))
    const message = 'No reply: your answer may have counted. the client is closed'
    await vi.waitFor(() => expect(answering.getState()).toEqual({ kind: 'failed', message }))
    answering.answer(allow)
    expect(sent).toHaveLength(2)
  })

  it('answers several together, each with its own digest, and tells each its own end', async () => {
    const { client, sent } = aClient()
    const asks = [anAsk('ask_1', 'd1'), anAsk('ask_2', 'd2')]
    const done = answerTogether(
      client,
      asks.map((ask) => ({ ask, answer: { kind: 'allow', digest: ask.digest } })),
    )
    expect(sent.map(({ answer }) => answer.digest)).toEqual(['d1', 'd2'])
    sent[0]?.resolve({ ok: true, value: outcome })
    sent[1]?.resolve({ ok: false, status: 409, code: 'digest_mismatch', message: '' })
    expect(await done).toEqual({ counted: [asks[0]], failed: [asks[1]] })
    expect(asks.map((ask) => answeringOf(client, ask).getState().kind)).toEqual(['settled-here', 'failed'])
  })

  it('forgets what nobody shows once there is too much of it', () => {
    const { client } = aClient()
    const first = anAsk('ask_first')
    const shown = answeringOf(client, first)
    shown.subscribe(() => {})
    const second = answeringOf(client, anAsk('ask_second'))
    for (let index = 0; index < 250; index++) answeringOf(client, anAsk(`ask_${index}`))
    expect(answeringOf(client, first)).toBe(shown)
    expect(answeringOf(client, anAsk('ask_second'))).not.toBe(second)
  })
})
