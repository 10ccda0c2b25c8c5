import type { StoreFault } from '@holdpoint/core/store'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { eventsOf, nodeId, sampleAppend, sampleMessage } from '@holdpoint/testing/store-contract/store-samples'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { openPostgresCluster } from './open-cluster.ts'
import { STEPS } from './schema.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

/** The program as it might be one step later. */
async function nextBuild(): Promise<typeof import('./open-cluster.ts')> {
  vi.resetModules()
  vi.doMock('./schema.ts', () => ({ STEPS: [...STEPS, 'ALTER TABLE records ADD COLUMN made_up text'] }))
  onTestFinished(() => {
    vi.doUnmock('./schema.ts')
    vi.resetModules()
  })
  return import('./open-cluster.ts')
}

it('of two builds side by side, the older writes nothing more once the newer has changed the format, and says why', async () => {
  const address = await server.createDatabase()
  const join = async (open: typeof openPostgresCluster, n: number) => {
    const member = await open({ address, node: nodeId(n), version: String(n), name: `build ${n}`, checkTimes: false })
    onTestFinished(async () => {
      await member.cluster.close()
      await member.store.close()
    })
    return member
  }
  const older = await join(openPostgresCluster, 1)
  await older.store.append([sampleAppend({ after: 0, events: [eventsOf(1).started()] })])
  await older.store.records.put('settings', 'theme', 'dark')

  const newer = await join((await nextBuild()).openPostgresCluster, 2)
  const said = (after: number) => sampleAppend({ after, events: [eventsOf(1).added(sampleMessage(after))] })
  expect(await newer.store.append([said(1)])).toMatchObject([{ ok: true, stored: [{ seq: 2 }] }])

  const rows = () =>
    server.sql('SELECT max(seq), (SELECT json_agg(r) FROM holdpoint.records r) FROM holdpoint.events', address)
  const before = await rows()
  const calls = [
    () => older.store.append([said(2)]),
    () => older.store.append([sampleAppend({ n: 2, after: 0, events: [eventsOf(2).started()] })]),
    () => older.store.records.put('settings', 'theme', 'light'),
    () => older.store.records.remove('settings', 'theme'),
  ]
  for (const call of calls) {
    const fault = (await call().catch((error: unknown) => error)) as StoreFault
    expect(fault).toMatchObject({ name: 'StoreFault', code: 'newer-schema' })
    expect(fault.message).toMatch(/^A newer Holdpoint has changed the format of .* Update Holdpoint here\.$/)
  }
  expect(await rows()).toEqual(before)
  // What it shows stays right meanwhile.
  expect(await older.store.events({ after: 1, limit: 9 })).toMatchObject([{ seq: 2 }])
  expect(await newer.store.append([said(2)])).toMatchObject([{ ok: true, stored: [{ seq: 3 }] }])
  expect(await newer.store.records.get('settings', 'theme')).toBe('dark')
  await expect(join(openPostgresCluster, 3)).rejects.toMatchObject({ code: 'newer-schema' })
})
