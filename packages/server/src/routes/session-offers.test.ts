import type { Offers } from '@holdpoint/schema/offers'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

const OFFERS: Offers = {
  models: [{ value: 'sonnet', name: 'Sonnet' }],
  commands: [{ name: 'compact' }, { name: 'config', argumentHint: 'key=value' }],
}
const offers = async () => OFFERS

it('tells an owner what the agent offers', async () => {
  await using test = await startTestGateway({ offers })
  const { session } = await test.session()
  expect(await test.api.ok('GET', `/api/sessions/${session.id}/offers`)).toEqual(OFFERS)
})

it('T38 says to everybody else which commands only an owner of all sessions may send', async () => {
  await using test = await startTestGateway({ offers })
  const { session } = await test.session()
  const { session: other } = await test.session()
  const path = `/api/sessions/${session.id}/offers`
  const expected = [{ name: 'compact' }, { ...OFFERS.commands[1], ownerOnly: true }]
  const approver = await test.credential({ role: 'approver' })
  expect((await approver.api.ok<Offers>('GET', path)).commands).toEqual(expected)
  const narrow = await test.credential({ role: 'owner', sessionIds: [session.id] })
  expect((await narrow.api.ok<Offers>('GET', path)).commands).toEqual(expected)
  expect((await narrow.api.call('GET', `/api/sessions/${other.id}/offers`)).status).toBe(404)
  for (const role of ['viewer', 'raiser'] as const) {
    expect((await (await test.credential({ role })).api.call('GET', path)).status).toBe(403)
  }
})

it('says why there is nothing to offer', async () => {
  await using test = await startTestGateway()
  const { session } = await test.session()
  const path = `/api/sessions/${session.id}/offers`
  expect(await test.api.call('GET', path)).toMatchObject({ status: 422, body: { error: { code: 'not_supported' } } })
  await test.api.call('DELETE', `/api/sessions/${session.id}`)
  expect(await test.api.call('GET', path)).toMatchObject({ status: 409, body: { error: { code: 'session_ended' } } })
  await using silent = await startTestGateway({ offers: () => Promise.reject(new Error('the agent does not answer')) })
  const { session: other } = await silent.session()
  expect(await silent.api.call('GET', `/api/sessions/${other.id}/offers`)).toMatchObject({
    body: { error: { code: 'agent_refused', detail: 'the agent does not answer' } },
  })
})
