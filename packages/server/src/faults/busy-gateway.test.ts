import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const BUSY_MS = 2000

it('F47 a gateway that was busy for two seconds has lost no client and no agent, and says how long it was', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const { ask, outcome } = await test.openAsk(agent)
  const stream = await openStream(test.gateway.url, { authorization: `Bearer ${TEST_TOKEN}` })
  stream.send({ type: 'subscribe', ref: 'first' })
  await until(() => stream.messages.find(({ type }) => type === 'subscribed'), 'the subscription')
  const lag = async () => (await test.api.ok<{ lagMs: number }>('GET', '/api/status')).lagMs

  const end = performance.now() + BUSY_MS
  while (performance.now() < end) {
    // Nothing else gets a turn.
  }
  await until(async () => (await lag()) >= BUSY_MS / 2, 'the lag to be told')
  expect(await test.api.call('GET', '/metrics')).toMatchObject({
    body: expect.stringMatching(/^holdpoint_event_loop_lag_seconds [12]/m),
  })
  expect((await test.api.ok<{ state: string }>('GET', `/api/sessions/${session.id}`)).state).not.toBe('dead')
  expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
  expect((await test.api.answer(ask, { kind: 'allow' })).status).toBe(200)
  expect(await outcome).toMatchObject({ kind: 'allowed' })
  // The stream that was open before has it too: it was not let go.
  await until(() => stream.messages.find(({ event }) => event?.type === 'ask-settled'), 'the outcome on the stream')
  stream.close()
})
