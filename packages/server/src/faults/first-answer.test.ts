import { createMemoryStore } from '@holdpoint/store/memory-store'
import { apiClient } from '@holdpoint/testing/api-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

it('the first answer after a restart finds its ask, though it comes before the agents are taken up', async () => {
  const store = createMemoryStore()
  const before = await startTestGateway({ store })
  const { agent } = await before.session()
  const { ask } = await before.openAsk(agent)
  await before[Symbol.asyncDispose]()

  const statuses: number[] = []
  await using _ = await startTestGateway({
    store,
    async beforeResume(url) {
      const api = apiClient(url, TEST_TOKEN)
      const answered = api.answer(ask, { kind: 'deny' })
      statuses.push((await api.call('GET', '/api/health')).status, (await answered).status)
    },
  })
  expect(statuses).toEqual([200, 200])
})

it('an answer right after a restart waits until the agent that asked was found again', async () => {
  const store = createMemoryStore()
  const before = await startTestGateway({ store })
  const { agent } = await before.session()
  const { ask } = await before.openAsk(agent)
  await before[Symbol.asyncDispose]()

  let found = false
  let wasFound: boolean | undefined
  let answered: Promise<{ status: number }> | undefined
  await using test = await startTestGateway({
    store,
    recheck: async () => {
      wasFound = found
      return undefined
    },
    async beforeResume(url) {
      answered = apiClient(url, TEST_TOKEN).answer(ask, { kind: 'deny' })
    },
  })
  await test.synthetic.agentOf(ask.sessionId)
  found = true
  expect((await answered)?.status).toBe(200)
  expect(wasFound).toBe(true)
})
