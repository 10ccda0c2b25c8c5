import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { eventsOf, nodeId, sampleAppend } from '@holdpoint/testing/store-contract/store-samples'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { CHANNELS } from './listener.ts'
import { openPostgresCluster } from './open-cluster.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

async function joined(address: string, n: number) {
  const member = await openPostgresCluster({ address, node: nodeId(n), version: '1', name: `machine ${n}` })
  onTestFinished(async () => {
    await member.cluster.close()
    await member.store.close()
  })
  return member
}

/** A role of the same server that may connect to the database, as every role may unless that is revoked. */
async function stranger(address: string) {
  await server.sql('CREATE ROLE stranger LOGIN')
  const client = new pg.Client({ connectionString: address.replace('holdpoint@', 'stranger@') })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

it('[I8] T12 a role of the same server can tell gateways nothing, and hears nothing of them', async () => {
  const address = await server.createDatabase()
  const [a, b] = [await joined(address, 1), await joined(address, 2)]
  const client = await stranger(address)
  const overheard: unknown[] = []
  client.on('notification', (message) => overheard.push(message))
  const kinds = Object.values(CHANNELS)
  for (const kind of kinds) await client.query(`LISTEN ${kind}`)
  await expect(client.query('SELECT * FROM holdpoint.cluster')).rejects.toThrow('permission denied')
  const [cluster] = (await server.sql('SELECT channel_end FROM holdpoint.cluster', address)) as [
    { channel_end: string },
  ]
  const { rows: seen } = await client.query('SELECT * FROM pg_stat_activity, pg_listening_channels()')
  expect(JSON.stringify(seen)).not.toContain(cluster.channel_end)

  const read: unknown[] = []
  const told: string[] = []
  b.cluster.onRecords(async (change) => void read.push(change))
  b.cluster.onTold((text) => told.push(text))
  await a.store.records.put('devices', 'phone', 1)
  await expect.poll(() => read).toEqual([{ collection: 'devices', key: 'phone' }])
  const before = b.cluster.authority()
  const lie = `${before + 1} ${'0'.repeat(36)} ["settings","theme"]`
  const payloads = [lie, `${a.cluster.node} 1 {"type":"live"}`, a.cluster.node]
  for (const kind of kinds)
    for (const payload of payloads) await client.query('SELECT pg_notify($1, $2)', [kind, payload])

  // What is true comes after the lies, and is taken up: the phone is revoked here, too.
  await a.store.records.remove('devices', 'phone')
  a.cluster.tell('the truth')
  await a.store.append([
    { ...sampleAppend({ after: 0, events: [eventsOf(1, a.cluster.now()).started()] }), authority: before + 1 },
  ])
  await expect.poll(() => told).toEqual(['the truth'])
  await expect.poll(() => b.cluster.authority()).toBe(before + 1)
  expect(read).toEqual([
    { collection: 'devices', key: 'phone' },
    { collection: 'devices', key: 'phone' },
  ])
  await client.query('SELECT 1')
  expect(overheard).toHaveLength(kinds.length * payloads.length)
})
