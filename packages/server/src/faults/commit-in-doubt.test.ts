import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { expect, it, onTestFinished } from 'vitest'

async function openAsk() {
  const troubled = createTroubledStore()
  const test = await startTestGateway({ store: troubled.store })
  onTestFinished(() => test[Symbol.asyncDispose]())
  const { agent } = await test.session()
  return { troubled, test, ...(await test.openAsk(agent)) }
}

it('F57 a commit whose last step failed and that is in the log counts, and whoever made it is told so', async () => {
  const { troubled, test, ask, outcome } = await openAsk()
  troubled.set('flush-failed')
  expect(await test.api.answer(ask, { kind: 'allow' })).toMatchObject({
    status: 200,
    body: { outcome: { kind: 'allowed' } },
  })
  expect(await outcome).toMatchObject({ kind: 'allowed' })
})

it('F57 says that it is not known while the log cannot be read, and tells a retry what was recorded', async () => {
  const { troubled, test, ask, outcome } = await openAsk()
  troubled.set('doubt')
  const key = { 'idempotency-key': 'the-one-answer' }
  const first = await test.api.answer(ask, { kind: 'allow' }, key)
  expect(first).toMatchObject({ status: 503, body: { error: { code: 'store_unavailable', recorded: 'unknown' } } })
  expect(first.body.error?.message).not.toMatch(/nothing was/i)
  expect(await test.api.answer(ask, { kind: 'allow' }, key)).toMatchObject({
    status: 200,
    body: { outcome: { kind: 'allowed' } },
  })
  expect(await test.api.answer(ask, { kind: 'deny' })).toMatchObject({
    status: 409,
    body: { error: { outcome: { kind: 'allowed' } } },
  })
  expect(await outcome).toMatchObject({ kind: 'allowed' })
})

it('F57 says that nothing was changed where that is known', async () => {
  const { troubled, test, ask } = await openAsk()
  troubled.set('full')
  const reply = await test.api.answer(ask, { kind: 'allow' })
  expect(reply).toMatchObject({ status: 503, body: { error: { recorded: 'no' } } })
  expect(reply.body.error?.message).toContain('Nothing was changed')
  troubled.set('none')
  expect((await test.api.answer(ask, { kind: 'deny' })).status).toBe(200)
})
