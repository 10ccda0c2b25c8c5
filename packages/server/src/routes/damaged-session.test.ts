import { StoreFault } from '@holdpoint/core/store'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { DAMAGED, startOnDamagedRecord, WHOLE } from '@holdpoint/testing/damaged-record'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { overrideStore } from '@holdpoint/testing/override-store'
import { askId, itemId, sessionId } from '@holdpoint/testing/store-contract/store-samples'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

interface Listed {
  readonly id: string
  readonly endReason?: string
  readonly error?: { readonly message: string }
}
const ids = (listed: readonly Listed[]) => listed.map(({ id }) => id)
const answer = { kind: 'allow', digest: 'd'.repeat(64) }

describe.each([
  { name: 'accepted', accept: true },
  { name: 'not noticed yet', accept: false },
])('a session whose record was changed, $name', ({ accept }) => {
  let test: Awaited<ReturnType<typeof startOnDamagedRecord>>
  beforeAll(async () => {
    test = await startOnDamagedRecord({ accept })
  })
  afterAll(() => test[Symbol.asyncDispose]())

  it('T69 is left out of the lists of asks, which go on with the others', async () => {
    const history = await test.api.ok<{ asks: Listed[]; next?: string }>('GET', '/api/asks?status=settled&limit=1')
    expect(ids(history.asks)).toEqual([askId(WHOLE)])
    expect(history.next).toBeUndefined()
    const all = await test.api.ok<{ asks: Listed[] }>('GET', '/api/asks?status=all')
    expect(ids(all.asks)).toEqual([askId(WHOLE)])
    const { sessions } = await test.api.ok<{ sessions: Listed[] }>('GET', '/api/sessions')
    expect(ids(sessions)).toContain(sessionId(WHOLE))
    const narrow = await test.credential({ role: 'viewer', sessionIds: [sessionId(DAMAGED), sessionId(WHOLE)] })
    const own = await narrow.api.ok<{ asks: Listed[] }>('GET', '/api/asks?status=settled')
    expect(ids(own.asks)).toEqual([askId(WHOLE)])
  })

  it('T69 says of itself that it was changed, and of nothing that the disk is full', async () => {
    const refused = [
      await test.api.call('GET', `/api/asks/${askId(DAMAGED)}`),
      await test.api.call('GET', `/api/asks?ids=${askId(DAMAGED)}`),
      await test.api.call('POST', `/api/asks/${askId(DAMAGED)}/answer`, answer),
      await test.api.call('POST', '/api/sessions', { resume: sessionId(DAMAGED) }),
      ...(accept
        ? [
            await test.api.call('GET', `/api/sessions/${sessionId(DAMAGED)}/items`),
            await test.api.call('GET', `/api/sessions/${sessionId(DAMAGED)}/items/${itemId(DAMAGED)}`),
          ]
        : []),
    ]
    for (const { status, body } of refused) {
      expect({ status, body }).toMatchObject({ status: 409, body: { error: { code: 'record_damaged' } } })
      expect(JSON.stringify(body)).not.toMatch(/disk|written at the moment/)
    }
    const batch = await test.api.ok<{ results: unknown[] }>('POST', '/api/asks/answer', {
      answers: [DAMAGED, WHOLE].map((n) => ({ id: askId(n), ...answer })),
    })
    expect(batch.results).toMatchObject([
      { status: 409, error: { code: 'record_damaged' } },
      { status: 409, error: { code: 'already_settled' } },
    ])
  })

  it('T69 leaves the one beside it as it was: its asks, its thread, its next life', async () => {
    const settled = await test.api.call('POST', `/api/asks/${askId(WHOLE)}/answer`, answer)
    expect(settled).toMatchObject({ status: 409, body: { error: { code: 'already_settled' } } })
    const { items } = await test.api.ok<{ items: unknown[] }>('GET', `/api/sessions/${sessionId(WHOLE)}/items`)
    expect(items).toHaveLength(2)
    const [refused, resumed] = await Promise.all(
      [DAMAGED, WHOLE].map((n) => test.api.call('POST', '/api/sessions', { resume: sessionId(n) })),
    )
    expect(refused?.status).toBe(409)
    expect(resumed?.status).toBe(201)
  })

  it('T69 does not hold up a client whose cursor is before it: that one starts anew', async () => {
    const stream = await openStream(test.gateway.url, { authorization: `Bearer ${TEST_TOKEN}` })
    stream.send({ type: 'subscribe', ref: 'first', after: 0 })
    await until(() => stream.messages.some(({ type }) => type === 'subscribed'), 'the stream')
    expect(stream.messages.map(({ type }) => type)).toEqual(['snapshot', 'subscribed'])
    stream.close()
  })
})

it('T69 a session whose damage was accepted says so in lists and on its own, and the state of the record counts it', async () => {
  const time = createManualClock()
  await using test = await startOnDamagedRecord({ accept: true, clock: time.clock })
  const { sessions } = await test.api.ok<{ sessions: Listed[] }>('GET', '/api/sessions')
  const one = await test.api.ok<Listed>('GET', `/api/sessions/${sessionId(DAMAGED)}`)
  for (const session of [sessions.find(({ id }) => id === sessionId(DAMAGED)), one]) {
    expect(session?.endReason).toBe('record-damaged')
    expect(session?.error?.message).toContain('at event 4: it does not match its hash')
  }
  expect(sessions.find(({ id }) => id === sessionId(WHOLE))?.endReason).toBe('idle')
  const record = await until(async () => {
    time.advance(5000)
    const status = await test.api.ok<{ record: { state: string } }>('GET', '/api/status')
    return status.record.state === 'events-match' ? status.record : undefined
  }, 'the check')
  expect(record).toMatchObject({ accepted: 1 })
})

it('T69 a read that fails says nothing of writing', async () => {
  const fail = () => Promise.reject(new StoreFault('io', 'no disk'))
  await using test = await startTestGateway({ store: overrideStore(createMemoryStore(), { asks: fail }) })
  const { status, body } = await test.api.call<{ error: { message: string } }>('GET', '/api/asks?status=settled')
  expect(status).toBe(503)
  expect(body.error.message).toContain('cannot be read at the moment')
  expect(JSON.stringify(body)).not.toMatch(/written|disk|recorded/)
})
