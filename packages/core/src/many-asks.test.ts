import { createCoreWorld } from '@holdpoint/testing/core-world'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { expect, it } from 'vitest'

const ASKS = LONG ? 5000 : 1200

it('F45 knows the first of thousands of asks when its request comes again', { timeout: TIMEOUT_MS }, async () => {
  const world = await createCoreWorld()
  const { session } = await world.session({ prompt: 'go' })
  const requests = Array.from({ length: ASKS }, (_, n) =>
    askRequest({ requestId: `request-${n}`, tool: { name: 'Bash', input: { command: `echo ${n}` } } }),
  )
  const key = { sessionId: session.id, epoch: session.epoch }
  const told: Promise<unknown>[] = []
  for (const [n, request] of requests.entries()) {
    // No faster than a session may ask (F35).
    world.time.advance(20)
    const raised = await world.broker.raise({ ...key, request })
    if (!raised.ok) throw new Error(raised.refusal)
    await world.answer(raised.ask, { kind: n % 2 ? 'deny' : 'allow' })
    told.push(world.broker.delivered({ ...key, requestIds: [request.requestId] }))
  }
  await Promise.all(told)
  for (const [n, request] of [...requests.entries()].slice(0, 3)) {
    const again = await world.broker.raise({ ...key, request })
    expect(again).toMatchObject({ ok: true, outcome: { kind: n % 2 ? 'denied' : 'allowed' } })
  }
  const other = askRequest({ requestId: 'request-0', tool: { name: 'Bash', input: { command: 'rm' } } })
  expect(await world.broker.raise({ ...key, request: other })).toEqual({
    ok: false,
    refusal: 'duplicate_request',
  })
  expect(world.view(session)?.asks.size).toBe(0)
  report(`F45: ${ASKS} asks`)
})
