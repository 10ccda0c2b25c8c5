import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { expect, it, onTestFinished } from 'vitest'

async function openAsk() {
  const troubled = await createTroubledStore()
  const test = await startTestGateway({ store: troubled.store })
  onTestFinished(() => test[Symbol.asyncDispose]())
  const { agent } = await test.session()
  return { troubled, test, agent, ...(await test.openAsk(agent)) }
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
  const { troubled, test, agent, ask, outcome } = await openAsk()
  troubled.set('blind')
  const key = { 'idempotency-key': 'the-one-answer' }
  // Also the second time, when nothing was tried but to read the log: what became of the first is still not known.
  for (let n = 0; n < 2; n++) {
    const reply = await test.api.answer(ask, { kind: 'allow' }, key)
    expect(reply).toMatchObject({ status: 503, body: { error: { code: 'store_unavailable', recorded: 'unknown' } } })
    expect(reply.body.error?.message).not.toMatch(/not recorded/i)
  }
  troubled.set('none')
  expect(await test.api.answer(ask, { kind: 'allow' }, key)).toMatchObject({
    status: 200,
    body: { outcome: { kind: 'allowed' } },
  })
  expect(await test.api.answer(ask, { kind: 'deny' })).toMatchObject({
    status: 409,
    body: { error: { outcome: { kind: 'allowed' } } },
  })
  expect(await outcome).toMatchObject({ kind: 'allowed' })
  // The doubt is over: what fails now is known to have failed.
  const { ask: next } = await test.openAsk(agent)
  troubled.set('full')
  expect(await test.api.answer(next, { kind: 'allow' })).toMatchObject({ body: { error: { recorded: 'no' } } })
})

it('F57 says that nothing was recorded once it has looked for the commit and it is not there', async () => {
  const { troubled, test, ask } = await openAsk()
  troubled.set('lost')
  const reply = await test.api.answer(ask, { kind: 'allow' })
  expect(reply).toMatchObject({ status: 503, body: { error: { recorded: 'no' } } })
  expect(reply.body.error?.message).toContain('This was not recorded')
  expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
  expect((await test.api.answer(ask, { kind: 'deny' })).body).toMatchObject({ outcome: { kind: 'denied' } })
})

it('F57 says that nothing was recorded where that is known', async () => {
  const { troubled, test, ask } = await openAsk()
  troubled.set('full')
  const reply = await test.api.answer(ask, { kind: 'allow' })
  expect(reply).toMatchObject({ status: 503, body: { error: { recorded: 'no' } } })
  expect(reply.body.error?.message).toContain('This was not recorded')
  troubled.set('none')
  expect((await test.api.answer(ask, { kind: 'deny' })).status).toBe(200)
})
