import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

it('carries an ask to a client and the answer back to the agent', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const { ask, outcome } = await test.openAsk(agent)
  const reply = await test.api.answer(ask, { kind: 'allow' })
  expect(reply.status).toBe(200)
  expect(await outcome).toMatchObject({ kind: 'allowed', via: 'api', by: { name: 'HOLDPOINT_TOKEN', role: 'owner' } })
  await until(async () => (await test.store.ask(ask.id))?.delivered, 'the delivery')
})
