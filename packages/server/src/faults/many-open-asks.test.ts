import { createMemoryStore } from '@holdpoint/store/memory-store'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }
const SESSIONS = LONG ? 100 : 6

it('F6 after a restart every one of many open asks is visible, or orphaned with its reason', {
  timeout: TIMEOUT_MS,
}, async () => {
  const store = createMemoryStore()
  const before = await startTestGateway({ store })
  const lost = new Set<string>()
  for (let n = 0; n < SESSIONS; n++) {
    const { agent, session } = await before.session()
    if (n % 3 === 0) lost.add(session.id)
    for (let ask = 0; ask < 100; ask++) agent.ask({ requestId: `r${ask}` }).catch(() => {})
  }
  const views = () => [...before.gateway.ledger.views().values()]
  await until(() => views().every(({ asks }) => asks.size === 100), 'all asks')
  const asks = views().flatMap((view) => [...view.asks.values()])
  await before[Symbol.asyncDispose]()

  await using test = await startTestGateway({ store })
  // Of some the agent is not there any more.
  for (const id of lost) (await test.synthetic.agentOf(id as `ses_${string}`)).die()
  const { ledger } = test.gateway
  await until(() => [...lost].every((id) => !ledger.views().has(id as `ses_${string}`)), 'the end of those')
  const stream = await openStream(test.gateway.url, BEARER)
  stream.send({ type: 'subscribe', ref: 'r' })
  await until(() => stream.messages.some(({ type }) => type === 'subscribed'), 'the word')
  const shown = new Set(
    stream.messages.flatMap(({ type, asks: listed }) =>
      type.startsWith('snapshot') ? (listed as { id: string }[]).map(({ id }) => id) : [],
    ),
  )
  for (const ask of asks) {
    const outcome = (await store.ask(ask.id))?.outcome
    if (lost.has(ask.sessionId)) expect(outcome).toMatchObject({ kind: 'withdrawn', reason: 'orphaned' })
    else expect({ outcome, isShown: shown.has(ask.id) }).toEqual({ outcome: undefined, isShown: true })
  }
  report(`F6: ${asks.length} open asks over ${SESSIONS} sessions, ${lost.size} of them without their agent`)
  stream.close()
})
