import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { eventsOf, nodeId, sampleAppend, sampleMessage } from '@holdpoint/testing/store-contract/store-samples'
import { until } from '@holdpoint/testing/until'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { openPostgresCluster } from './open-cluster.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())
afterEach(() => vi.restoreAllMocks())

/** How often a connection was given a statement while it had another one: the driver warns of it, and will refuse it. */
function countOverlaps() {
  const send = pg.Client.prototype.query as (this: pg.Client, ...values: unknown[]) => Promise<unknown>
  const busy = new Set<pg.Client>()
  const found = { statements: 0, overlaps: 0 }
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (this: pg.Client, ...values: unknown[]) {
    found.statements++
    if (busy.has(this)) found.overlaps++
    busy.add(this)
    return send.apply(this, values).finally(() => busy.delete(this))
  })
  return found
}

it('a connection is given one statement after the other, whatever happens at once', async () => {
  const found = countOverlaps()
  const address = await server.createDatabase()
  const join = (n: number) =>
    openPostgresCluster({ address, node: nodeId(n), version: '1', name: `machine ${n}`, checkTimes: false })
  const [a, b] = await Promise.all([join(1), join(2)])
  const heard: string[] = []
  b.cluster.onTold((text) => heard.push(text))
  b.cluster.serve(async (body) => body)
  await a.store.append([sampleAppend({ after: 0, events: [eventsOf(1).started()] })])
  await until(() => a.cluster.nodes().every(({ isReachable }) => isReachable), 'both nodes')
  for (let round = 1; round <= 20; round++) {
    // Each text is sent on its own, while the listener looks.
    a.cluster.describe({ version: '1', agents: [`agent ${round}`] })
    for (let n = 0; n < 5; n++) {
      a.cluster.tell(`${round} ${n}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all([
      a.store.append([sampleAppend({ after: round, events: [eventsOf(1).added(sampleMessage(round))] })]),
      a.store.records.put('devices', 'one', round),
      a.store.liveSessions(),
      a.store.events({ after: 0, limit: 10 }),
      a.cluster.call(b.cluster.node, 'x', { signal: new AbortController().signal }),
    ])
  }
  await until(() => heard.length === 100, 'all that was told')
  expect(heard).toEqual(Array.from({ length: 100 }, (_, n) => `${Math.floor(n / 5) + 1} ${n % 5}`))
  for (const { cluster, store } of [a, b]) {
    await cluster.close()
    await store.close()
  }
  expect(found.statements).toBeGreaterThan(200)
  expect(found.overlaps).toBe(0)
})
