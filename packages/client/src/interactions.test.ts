import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { describe, expect, it } from 'vitest'
import { createFakeTimers } from './fixtures/fake-timers.ts'
import { createFakeTransport } from './fixtures/fake-transport.ts'
import { createInteractions } from './interactions.ts'
import type { Call, Reply } from './transport.ts'

function fakeInteractions() {
  const fake = createFakeTransport()
  const time = createFakeTimers()
  const interactions = createInteractions(fake.transport, { timers: time.timers, random: () => 1 })
  return { ...fake, ...time, interactions }
}

/** A gateway that streams these pieces and then says how it ended. */
function streaming(pieces: readonly string[], reply: Reply = { status: 200, body: undefined }) {
  return createInteractions({
    async call({ onText }: Call) {
      for (const piece of pieces) onText?.(piece)
      return reply
    },
  })
}

const frame = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`
const DONE = { type: 'done', data: { sessionId: 'ses_1' } }

describe('an answer', () => {
  it('goes to the route of its session, with what the person gave', async () => {
    const { interactions, calls, answerCalls } = fakeInteractions()
    answerCalls(() => ({ status: 200, body: { ok: true } }))
    await interactions.approveTool('ses_1', 'toolu_1')
    await interactions.denyTool('ses_1', 'toolu_1', { message: 'not on main' })
    await interactions.submitAnswers('ses 1', 'toolu_1', { 0: 'Cards', 1: '["EUR","USD"]' })
    expect(calls.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/api/sessions/ses_1/approve', { toolCallId: 'toolu_1' }],
      ['POST', '/api/sessions/ses_1/deny', { toolCallId: 'toolu_1', message: 'not on main' }],
      [
        'POST',
        '/api/sessions/ses%201/submit-answers',
        { toolCallId: 'toolu_1', answers: { 0: 'Cards', 1: '["EUR","USD"]' } },
      ],
    ])
  })

  it.each([
    [400, { error: 'toolCallId is required', code: 'invalid_request' }, 'invalid', 'toolCallId is required'],
    [404, { error: 'No pending question', code: 'not_found' }, 'not_found', 'No pending question'],
    [404, { error: 'No pending question' }, 'not_found', 'No pending question'],
    [409, { error: 'Settled', code: 'already_settled' }, 'already_settled', 'Settled'],
    [409, { error: 'Settled' }, 'already_settled', 'Settled'],
    [409, { error: { code: 'session_frozen', message: 'Frozen' } }, 'refused', 'Frozen'],
    [403, { error: { code: 'forbidden', message: 'May not' } }, 'refused', 'May not'],
    [422, { error: { code: 'invalid_answer', message: 'Does not fit' } }, 'invalid', 'Does not fit'],
  ])('that is refused with %i %o is a value', async (status, body, code, message) => {
    const { interactions, calls, answerCalls } = fakeInteractions()
    answerCalls(() => ({ status, body }))
    expect(await interactions.approveTool('ses_1', 'toolu_1')).toEqual({ ok: false, code, message })
    expect(calls).toHaveLength(1)
  })

  it('that gets no reply is sent three times under one key, later each time, and is a fault then', async () => {
    const { interactions, calls, advance } = fakeInteractions()
    const sending = expect(interactions.submitAnswers('ses_1', 'toolu_1', { 0: 'a' })).rejects.toMatchObject({
      code: 'unreachable',
    })
    await advance(249)
    expect(calls).toHaveLength(1)
    await advance(1)
    expect(calls).toHaveLength(2)
    await advance(499)
    expect(calls).toHaveLength(2)
    await advance(1)
    expect(calls).toHaveLength(3)
    await sending
    expect(new Set(calls.map((call) => call.idempotencyKey)).size).toBe(1)
  })

  it('that gets its reply at the second try has counted', async () => {
    const { interactions, calls, advance, answerCalls } = fakeInteractions()
    answerCalls(() => (calls.length === 1 ? 'unreachable' : { status: 200, body: { ok: true } }))
    const sending = interactions.approveTool('ses_1', 'toolu_1')
    await advance(250)
    expect(await sending).toEqual({ ok: true })
    expect(calls).toHaveLength(2)
  })

  it.each([
    [401, 'unauthorized'],
    [500, 'failed'],
  ])('that meets %i is a fault at once', async (status, code) => {
    const { interactions, calls, answerCalls } = fakeInteractions()
    answerCalls(() => ({
      status,
      body: { error: { code: status === 401 ? 'unauthorized' : 'internal', message: 'no' } },
    }))
    await expect(interactions.approveTool('ses_1', 'toolu_1')).rejects.toMatchObject({ code })
    expect(calls).toHaveLength(1)
  })

  it('that is called off while it waits to try again is sent no more', async () => {
    const { interactions, calls, advance } = fakeInteractions()
    const over = new AbortController()
    const sending = expect(interactions.approveTool('ses_1', 'toolu_1', { signal: over.signal })).rejects.toMatchObject(
      { code: 'aborted' },
    )
    await advance(100)
    over.abort()
    await advance(10_000)
    await sending
    expect(calls).toHaveLength(1)
  })
})

describe('a turn that is followed', () => {
  async function eventsOf(pieces: readonly string[], reply?: Reply): Promise<StreamEvent[]> {
    const events: StreamEvent[] = []
    await streaming(pieces, reply).joinTurn('ses_1', { onEvent: (event) => events.push(event) })
    return events
  }

  it('gives each event once it is whole, however the text is cut', async () => {
    const events = [
      { type: 'text_delta', data: { text: 'Hällo\n\ndata: "x"' } },
      { type: 'question_prompt', data: { toolCallId: 'toolu_1', questions: [] } },
      DONE,
    ]
    const text = `: still here\n\n${events.map(frame).join(': still here\n\n')}`
    for (const size of [1, 2, 3, 7, text.length]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(await eventsOf(pieces)).toEqual(events)
    }
    expect(await eventsOf([text.replaceAll('\n', '\r\n')])).toEqual(events)
  })

  it('leaves out what this client does not know', async () => {
    expect(await eventsOf([frame({ type: 'weather', data: {} }), frame(null), frame(DONE)])).toEqual([DONE])
  })

  it('is a fault when it ends before the turn does', async () => {
    await expect(eventsOf([frame({ type: 'text_delta', data: { text: 'Ha' } })])).rejects.toMatchObject({
      code: 'unreachable',
    })
  })

  it('is a fault when what comes cannot be read', async () => {
    await expect(eventsOf(['data: {"type":\n\n', frame(DONE)])).rejects.toMatchObject({ code: 'failed' })
  })

  it.each([
    [404, 'refused'],
    [401, 'unauthorized'],
    [503, 'failed'],
  ])('is a fault with the gateway’s words when it says %i', async (status, code) => {
    const reply = { status, body: { error: 'No such thing', code: 'x' } }
    await expect(eventsOf([], reply)).rejects.toMatchObject({ code, message: 'No such thing' })
  })

  it('ends with what its reader throws, and tells it nothing more', async () => {
    let calls = 0
    const onEvent = () => {
      calls++
      throw new Error('a bug')
    }
    const following = streaming([frame(DONE), frame(DONE)]).joinTurn('ses_1', { onEvent })
    await expect(following).rejects.toThrow('a bug')
    expect(calls).toBe(1)
  })

  it('tells nothing once it was called off', async () => {
    const over = new AbortController()
    const events: string[] = []
    const following = streaming([frame({ type: 'text_delta', data: { text: 'a' } }), frame(DONE)]).sendMessage(
      'ses_1',
      'go',
      {
        signal: over.signal,
        onEvent(event) {
          events.push(event.type)
          over.abort()
        },
      },
    )
    await expect(following).rejects.toMatchObject({ code: 'aborted' })
    expect(events).toEqual(['text_delta'])
  })
})
