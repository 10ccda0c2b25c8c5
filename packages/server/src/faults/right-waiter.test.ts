import type { Ask } from '@holdpoint/schema/ask'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it, vi } from 'vitest'

vi.setConfig({ testTimeout: TIMEOUT_MS })

const SESSIONS = 50
const ASKS = 40
const ROUNDS = LONG ? 5 : 1

it('F43 I5 brings each outcome to its own waiter and to no other', async () => {
  await using test = await startTestGateway()
  const agents = await Promise.all(Array.from({ length: SESSIONS }, async () => (await test.session()).agent))
  const streams = await Promise.all(
    Array.from({ length: 4 }, async () =>
      openStream(test.gateway.url, (await test.credential({ role: 'approver' })).headers),
    ),
  )
  let delivered = 0
  for (let round = 0; round < ROUNDS; round++) {
    // The same request ids in every session: only session and epoch tell them apart.
    const waiting = agents.flatMap((agent, session) =>
      Array.from({ length: ASKS }, async (_, index) => {
        const requestId = `request-${round}-${index}`
        const tag = `session ${session}, ${requestId}`
        const outcome = await agent.ask({ requestId, tool: { name: 'Bash', input: { command: tag } } })
        const { message, updatedInput } = outcome.answer ?? {}
        expect(message ?? updatedInput).toEqual(message === undefined ? { command: tag } : tag)
        delivered++
      }),
    )
    let asks: Ask[] = []
    while (asks.length < SESSIONS * ASKS) asks = await test.api.openAsks()
    const shuffled = asks.map((ask) => ({ ask, order: Math.random() })).sort((a, b) => a.order - b.order)
    const answerNext = async (index: number) => {
      for (let next = shuffled.pop(); next; next = shuffled.pop()) {
        const { ask } = next
        const tag = String(ask.tool?.input.command)
        const answer =
          Math.random() < 0.5 ? { kind: 'deny', message: tag } : { kind: 'allow', updatedInput: { command: tag } }
        const stream = streams[index]
        const reply = stream ? await stream.answer(ask, answer) : await test.api.answer(ask, answer)
        expect(reply.status).toBe(200)
      }
    }
    // Four on sockets, four over HTTP.
    await Promise.all(Array.from({ length: 8 }, (_, index) => answerNext(index)))
    await Promise.all(waiting)
  }
  expect(delivered).toBe(SESSIONS * ASKS * ROUNDS)
  for (const stream of streams) stream.close()
  report(`F43: ${delivered} outcomes in ${SESSIONS} sessions, 0 misrouted`)
})
