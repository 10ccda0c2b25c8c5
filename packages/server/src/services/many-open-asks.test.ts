import type { AskId } from '@holdpoint/schema/id'
import { overrideStore } from '@holdpoint/testing/override-store'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { openTestStore } from '@holdpoint/testing/test-store'
import { expect, it } from 'vitest'

it('a start that finds more than 10,000 open asks says so, with their number', async () => {
  const store = await openTestStore()
  await using test = await startTestGateway({ store })
  const { agent } = await test.session({ prompt: 'go' })
  const { outcome } = await test.openAsk(agent)
  outcome.catch(() => {})

  async function warningsWith(open: number) {
    const many = overrideStore(store, {
      liveSessions: async () =>
        (await store.liveSessions()).map((live) => ({
          ...live,
          asks: Array.from({ length: open }, (_, n) =>
            live.asks.map((ask) => ({ ...ask, id: `ask_${String(n).padStart(26, '0')}` as AskId })),
          ).flat(),
        })),
    })
    await using next = await startTestGateway({ store: many })
    return next.logged.map((line) => JSON.parse(line)).filter(({ event }) => event === 'many_open_asks')
  }
  expect(await warningsWith(10_000)).toEqual([])
  expect(await warningsWith(10_001)).toMatchObject([{ level: 'warn', open: 10_001, madeFor: 10_000 }])
})
