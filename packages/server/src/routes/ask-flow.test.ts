import type { Ask } from '@holdpoint/schema/ask'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

interface BatchReply {
  results: { id: string; status: number; outcome?: { kind: string }; error?: { code: string } }[]
}

const QUESTIONS = [
  { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false },
  { question: 'What else?', options: [{ label: 'C' }, { label: 'D' }], multiSelect: true },
]

describe('an answer', () => {
  it('I2 counts only with the digest of what was shown: missing, malformed and different are one refusal', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const events = await test.events()
    for (const digest of [
      undefined,
      null,
      '',
      'x',
      42,
      true,
      {},
      [],
      ask.digest.toUpperCase(),
      `${ask.digest} `,
      'x'.repeat(1000),
    ]) {
      const reply = await test.api.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest })
      expect(reply, JSON.stringify(digest)).toMatchObject({ status: 409, body: { error: { code: 'digest_mismatch' } } })
    }
    expect(await test.events()).toBe(events)
    expect((await test.api.answer(ask, { kind: 'allow' })).status).toBe(200)
  })

  it('is told what is wrong with it, and changes nothing', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const { ask: question } = await test.openAsk(agent, { kind: 'question', questions: QUESTIONS })
    const events = await test.events()
    const wrong: [Ask, Record<string, unknown>][] = [
      [ask, { kind: 'answer', answers: [] }],
      [ask, { kind: 'perhaps' }],
      [ask, {}],
      [ask, { kind: 'allow', updatedInput: {} }],
      [ask, { kind: 'allow', updatedInput: { command: 1 } }],
      [ask, { kind: 'allow', updatedInput: 'text' }],
      [ask, { kind: 'allow', plan: 'x' }],
      [ask, { kind: 'allow', more: 1 }],
      [question, { kind: 'allow' }],
      [question, { kind: 'answer', answers: [] }],
      [
        question,
        {
          kind: 'answer',
          answers: [
            { question: 0, selected: ['Z'] },
            { question: 1, selected: ['C'] },
          ],
        },
      ],
      [
        question,
        {
          kind: 'answer',
          answers: [
            { question: 0, selected: ['A', 'B'] },
            { question: 1, selected: ['C'] },
          ],
        },
      ],
      [
        question,
        {
          kind: 'answer',
          answers: [
            { question: 0, selected: ['A'] },
            { question: 1, selected: [] },
          ],
        },
      ],
      [
        question,
        {
          kind: 'answer',
          answers: [
            { question: 0, selected: ['A'] },
            { question: 2, selected: ['C'] },
          ],
        },
      ],
    ]
    for (const [about, answer] of wrong) {
      const reply = await test.api.answer(about, answer)
      expect(reply, JSON.stringify(answer)).toMatchObject({ status: 422, body: { error: { code: 'invalid_answer' } } })
      const issues = reply.body.error?.issues as unknown[]
      expect(issues.length, JSON.stringify(answer)).toBeGreaterThan(0)
      expect(issues.every((issue) => typeof issue === 'string')).toBe(true)
    }
    expect(await test.events()).toBe(events)
  })

  it('to a question carries labels and free text', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent, { kind: 'question', questions: QUESTIONS })
    const answers = [
      { question: 0, selected: [], other: 'neither' },
      { question: 1, selected: ['C', 'D'], other: 'and E' },
    ]
    expect((await test.api.answer(ask, { kind: 'answer', answers })).status).toBe(200)
    expect(await outcome).toMatchObject({ kind: 'answered', answer: { kind: 'answer', answers } })
  })

  it('for a malformed or unknown id is 404', async () => {
    await using test = await startTestGateway()
    for (const id of [
      'x',
      'ask_',
      'ask_0',
      'ses_00000000000000000000000000',
      'ask_00000000000000000000000000',
      'ask_%00',
    ]) {
      const reply = await test.api.call('POST', `/api/asks/${id}/answer`, { kind: 'allow', digest: 'x' })
      expect(reply.status, id).toBe(404)
    }
  })

  it('I6 gives the agent the person’s own edit, and records it', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const updatedInput = { command: 'echo "edited\u202e"', extra: [1, { deep: null }] }
    await test.api.answer(ask, { kind: 'allow', updatedInput })
    expect((await outcome).answer).toEqual({ kind: 'allow', updatedInput })
    const shown = await test.api.ok<Ask>('GET', `/api/asks/${ask.id}`)
    expect(shown.tool?.input).toEqual({ command: 'echo hello' })
    expect(shown.outcome?.answer).toEqual({ kind: 'allow', updatedInput })
  })
})

describe('a batch of answers', () => {
  it('is never all or nothing', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const opened = []
    for (let i = 0; i < 5; i++) opened.push(await test.openAsk(agent))
    const [a, b, c, d, e] = opened.map(({ ask }) => ask) as [Ask, Ask, Ask, Ask, Ask]
    await test.api.answer(b, { kind: 'deny' })
    const { status, body } = await test.api.call<BatchReply>('POST', '/api/asks/answer', {
      answers: [
        { id: a.id, kind: 'allow', digest: a.digest },
        { id: b.id, kind: 'allow', digest: b.digest },
        { id: c.id, kind: 'allow', digest: a.digest },
        { id: d.id, kind: 'submit', digest: d.digest, content: {} },
        { id: 'nothing', kind: 'allow', digest: 'x' },
        { id: e.id, kind: 'bogus', digest: e.digest },
        { id: e.id, kind: 'deny', digest: e.digest, message: 'no' },
      ],
    })
    expect(status).toBe(200)
    expect(
      body.results.map(({ id, status: each, outcome, error }) => [id, each, outcome?.kind ?? error?.code]),
    ).toEqual([
      [a.id, 200, 'allowed'],
      [b.id, 409, 'already_settled'],
      [c.id, 409, 'digest_mismatch'],
      [d.id, 422, 'invalid_answer'],
      ['nothing', 404, 'not_found'],
      [e.id, 422, 'invalid_answer'],
      [e.id, 200, 'denied'],
    ])
    expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([c.id, d.id])
  })

  it('that answers one ask twice counts once', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const answers = ['allow', 'deny', 'allow'].map((kind) => ({ id: ask.id, kind, digest: ask.digest }))
    const { body } = await test.api.call<BatchReply>('POST', '/api/asks/answer', { answers })
    expect(body.results.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })

  it('T63 allows no edit whose result is not known, nor what opens on No, unless by itself', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const edit = { name: 'Edit', input: { file_path: '/w/a', old_string: 'a', new_string: 'b' } }
    const filesUnknown = 'What this edit will write is not known.'
    const { ask: unknown } = await test.openAsk(agent, { tool: edit, filesUnknown })
    const { ask: no } = await test.openAsk(agent, { flags: { defaultToNo: true, noRemember: true } })
    const { ask: appealed } = await test.openAsk(agent, { appeal: { reason: 'It is unknown.' } })
    const { ask: command } = await test.openAsk(agent, { filesUnknown: 'Which files it runs is not known.' })
    const { ask: other } = await test.openAsk(agent)
    const answer = async (kind: string, ...asks: Ask[]) => {
      const answers = asks.map(({ id, digest }) => ({ id, kind, digest }))
      const { body } = await test.api.call<BatchReply>('POST', '/api/asks/answer', { answers })
      return body.results.map(({ outcome, error }) => outcome?.kind ?? error)
    }
    const refused = (why: string) => ({
      code: 'invalid_answer',
      message: expect.any(String),
      issues: [expect.stringMatching(why)],
    })
    expect(await answer('allow', unknown, no, appealed, command, other)).toEqual([
      refused('of this edit is not known. Allow it on its own'),
      refused('high risk .*Allow it on its own'),
      refused('own check refused .*Allow it on its own'),
      'allowed',
      'allowed',
    ])
    expect(await answer('allow', unknown)).toEqual(['allowed'])
    expect(await answer('deny', no, unknown)).toEqual(['denied', expect.objectContaining({ code: 'already_settled' })])
  })

  it('has between 1 and 200 entries', async () => {
    await using test = await startTestGateway()
    const entry = { id: 'x', kind: 'allow' }
    for (const count of [0, 201]) {
      const reply = await test.api.call('POST', '/api/asks/answer', {
        answers: Array.from({ length: count }, () => entry),
      })
      expect(reply.status).toBe(422)
    }
    expect(
      (await test.api.call('POST', '/api/asks/answer', { answers: Array.from({ length: 200 }, () => entry) })).status,
    ).toBe(200)
  })
})

describe('the list of asks', () => {
  it('has the oldest open one first, and a cursor that events go on from', async () => {
    const time = createManualClock()
    await using test = await startTestGateway({ clock: time.clock })
    const [one, two] = [await test.session(), await test.session()]
    const opened = []
    for (const { agent } of [one, two, one]) {
      time.skip(10)
      opened.push(await test.openAsk(agent))
    }
    const ids = opened.map(({ ask }) => ask.id)
    const list = (query: string) => test.api.ok<{ asks: Ask[]; cursor: string }>('GET', `/api/asks${query}`)
    expect((await list('')).asks.map(({ id }) => id)).toEqual(ids)
    expect((await list(`?sessionId=${two.session.id}`)).asks.map(({ id }) => id)).toEqual([ids[1]])
    const first = opened[0]?.ask
    if (first) await test.api.answer(first, { kind: 'allow' })
    await opened[0]?.outcome
    expect((await list('?status=settled')).asks).toMatchObject([{ id: ids[0], outcome: { kind: 'allowed' } }])
    const all = await list('?status=all')
    expect(all.asks.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[0]])
    expect(all.cursor).toMatch(/^\d+-[0-9a-f]{16}$/)
    expect((await test.api.call('GET', '/api/asks?status=other')).status).toBe(422)
    expect((await test.api.call('GET', '/api/asks?status=open&status=all')).status).toBe(422)
  })

  it('gives those that are named, open or settled, and the newest settled ones up to a limit', async () => {
    await using test = await startTestGateway()
    const [mine, other] = [await test.session(), await test.session()]
    const asks: Ask[] = []
    for (const { agent } of [mine, other, mine]) {
      const { ask } = await test.openAsk(agent)
      await test.api.answer(ask, { kind: 'deny' })
      asks.push(ask)
    }
    const { ask: open } = await test.openAsk(mine.agent)
    const ids = asks.map(({ id }) => id)
    const list = async (api: typeof test.api, query: string) =>
      (await api.ok<{ asks: Ask[] }>('GET', `/api/asks?${query}`)).asks.map(({ id }) => id)
    const absent = 'ask_00000000000000000000000000'
    expect(await list(test.api, `ids=${ids[2]},${absent},${open.id},${ids[0]}`)).toEqual([ids[2], open.id, ids[0]])
    expect(await list(test.api, 'status=settled&limit=2')).toEqual([ids[2], ids[1]])
    const both = [mine.session.id, other.session.id]
    const narrow = await test.credential({ role: 'viewer', sessionIds: [other.session.id] })
    const wide = await test.credential({ role: 'viewer', sessionIds: both })
    expect(await list(narrow.api, `ids=${ids.join()}`), 'T11').toEqual([ids[1]])
    expect(await list(wide.api, 'status=all&limit=3')).toEqual([open.id, ids[2], ids[1]])
    const many = Array.from({ length: 101 }, () => absent).join()
    for (const query of [`ids=${many}`, 'ids=', 'ids=x', 'limit=0', 'limit=1001', 'status=settled&limit=x'])
      expect((await test.api.call('GET', `/api/asks?${query}`)).status, query.slice(0, 30)).toBe(422)
  })

  it('T11 is not used up by asks that a narrow credential cannot see', async () => {
    await using test = await startTestGateway()
    const mine = await test.session()
    // Several, for one session may not ask that fast (F35).
    const others = await Promise.all(Array.from({ length: 6 }, () => test.session()))
    const settle = async (agent: typeof mine.agent) => {
      const { ask, outcome } = await test.openAsk(agent)
      await test.api.answer(ask, { kind: 'deny' })
      await outcome
      return ask
    }
    const ask = await settle(mine.agent)
    const { broker } = test.gateway
    const { store } = test
    for (let i = 0; i < 1001; i++) {
      const request = { ...ask, requestId: `r${i}` }
      const sessionId = others[i % others.length]?.session.id ?? mine.session.id
      const raised = await broker.raise({ sessionId, epoch: 1, request })
      if (raised.ok) await broker.withdraw(raised.ask.id, 'agent-cancelled')
    }
    expect((await store.asks({ status: 'settled', limit: 1000 })).some((record) => record.ask.id === ask.id)).toBe(
      false,
    )
    const viewer = await test.credential({ role: 'viewer', sessionIds: [mine.session.id] })
    const { asks } = await viewer.api.ok<{ asks: Ask[] }>('GET', '/api/asks?status=settled')
    expect(asks.map(({ id }) => id)).toEqual([ask.id])
  })
})

it('I9 logs a sighting once for each credential, and none after the outcome', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask, outcome } = await test.openAsk(agent)
  const viewer = await test.credential({ role: 'viewer' })
  const sightings = async () => {
    const events = await test.store.events({ after: 0, limit: 1000 })
    return events.flatMap(({ event }) => (event.type === 'ask-seen' ? [event.by.name] : []))
  }
  for (let i = 0; i < 3; i++) {
    for (const api of [viewer.api, test.api])
      expect((await api.call('POST', `/api/asks/${ask.id}/seen`)).status).toBe(204)
  }
  expect(await sightings()).toEqual(['viewer for tests', 'HOLDPOINT_TOKEN'])
  await test.api.answer(ask, { kind: 'allow' })
  await outcome
  const late = await test.credential({ role: 'viewer' })
  expect((await late.api.call('POST', `/api/asks/${ask.id}/seen`)).status).toBe(204)
  expect((await sightings()).length).toBe(2)
  expect((await test.api.call('POST', '/api/asks/ask_00000000000000000000000000/seen')).status).toBe(404)
})

describe('waiting for an ask', () => {
  it('ends with the outcome', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const waiting = test.api.ok<Ask>('GET', `/api/asks/${ask.id}?wait=60`)
    await test.api.answer(ask, { kind: 'deny', message: 'no' })
    expect((await waiting).outcome).toMatchObject({ kind: 'denied', answer: { message: 'no' } })
    expect((await test.api.ok<Ask>('GET', `/api/asks/${ask.id}?wait=60`)).outcome).toMatchObject({ kind: 'denied' })
  })

  it('ends without one when the seconds are over', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const waited = await test.api.ok<Ask>('GET', `/api/asks/${ask.id}?wait=0.05`)
    expect(waited.outcome).toBeUndefined()
    expect((await test.api.call('GET', `/api/asks/${ask.id}?wait=soon`)).status).toBe(422)
    expect((await test.api.call('GET', `/api/asks/${ask.id}?wait=-1`)).status).toBe(422)
  })

  it('is let go when the gateway closes', async () => {
    const test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const waiting = test.api.call('GET', `/api/asks/${ask.id}?wait=60`).catch(() => 'gone')
    await until(async () => (await test.api.call('GET', '/api/health')).status === 200, 'a round trip')
    await test[Symbol.asyncDispose]()
    await waiting
  })
})
