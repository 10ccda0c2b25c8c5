import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { idMaker } from '@holdpoint/schema/id'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresCluster } from './open-cluster.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

const newId = idMaker({ now: Date.now, randomBytes })

/** Two machines on one database. */
async function setUp() {
  const address = await server.createDatabase()
  const open = (name: string) => openPostgresCluster({ address, node: newId('nod'), version: '1', name })
  const machines = [await open('a'), await open('b')] as const
  const [{ attachmentBytes: a }, { attachmentBytes: b }] = machines
  return {
    a,
    b,
    rows: (id: string) => server.sql(`SELECT part FROM holdpoint.attachment_parts WHERE id = '${id}'`, address),
    async [Symbol.asyncDispose]() {
      for (const { cluster, store } of machines) {
        await cluster.close()
        await store.close()
      }
    },
  }
}

describe('attachments in PostgreSQL', () => {
  it.each([1, 256 * 1024, 700_001])('are the same %i bytes on another machine, in parts', async (size) => {
    await using test = await setUp()
    const id = newId('att')
    const bytes = randomBytes(size)
    await test.a.write(id, bytes)
    // Once more, as after a reply that was lost.
    await test.a.write(id, bytes)
    expect((await buffer(test.b.read(id))).equals(bytes)).toBe(true)
    expect((await test.rows(id)).length).toBe(Math.ceil(size / (256 * 1024)))
  })

  it('are nothing where there is none', async () => {
    await using test = await setUp()
    expect((await buffer(test.b.read(newId('att')))).length).toBe(0)
  })
})
