import type { OfferedModel, Offers } from '@holdpoint/schema/offers'
import { createMemoryCluster } from '@holdpoint/testing/memory-cluster'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

const SONNET: OfferedModel = { value: 'sonnet', name: 'Sonnet', description: 'Quick' }
const offering =
  (...models: OfferedModel[]) =>
  async (): Promise<Offers> => ({ models, commands: [] })

const models = async (test: Pick<TestGateway, 'api'>, query = 'agent=synthetic') =>
  (await test.api.ok<{ models: OfferedModel[] }>('GET', `/api/models?${query}`)).models

it('knows for the next session which models the last agent has named, also after a restart', async () => {
  const { store, cluster } = createMemoryCluster().node('one')
  {
    await using test = await startTestGateway({ store, cluster, offers: offering(SONNET) })
    expect(await models(test)).toEqual([])
    await test.session({ prompt: 'hello' })
    await expect.poll(() => models(test)).toEqual([SONNET])
    expect(await models(test, 'agent=another')).toEqual([])
  }
  await using test = await startTestGateway({ store, cluster, offers: offering({ value: 'opus', name: 'Opus' }) })
  expect(await models(test)).toEqual([SONNET])
  await test.session({ prompt: 'hello' })
  await expect.poll(() => models(test)).toEqual([{ value: 'opus', name: 'Opus' }])
})

it('keeps what it knew where an agent names none, and asks each agent once', async () => {
  const replies = [offering(SONNET), offering(), () => Promise.reject(new Error('the agent does not answer'))]
  let asked = 0
  const offers = () => (replies[asked++] ?? offering())()
  await using test = await startTestGateway({ offers })
  for (const times of [1, 2, 3]) {
    const { agent } = await test.session({ prompt: 'hello' })
    await expect.poll(() => asked).toBe(times)
    await agent.start.emit([{ type: 'turn-ended' }])
    await expect.poll(() => models(test)).toEqual([SONNET])
  }
  expect(asked).toBe(3)
})

it('knows them of each machine', async () => {
  const shared = createMemoryCluster()
  const [one, other] = [shared.node('one'), shared.node('other')]
  await using here = await startTestGateway({ ...one, offers: offering(SONNET) })
  await using there = await startTestGateway({ ...other, offers: offering({ value: 'local', name: 'Local' }) })
  for (const test of [here, there]) await test.session({ prompt: 'hello' })
  await expect.poll(() => models(here)).toEqual([SONNET])
  const query = `agent=synthetic&node=${other.cluster.node}`
  await expect.poll(() => models(here, query)).toEqual([{ value: 'local', name: 'Local' }])
})
