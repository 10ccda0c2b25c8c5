import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { storeContract } from '@holdpoint/testing/store-contract/store-contract'
import { afterAll, beforeAll } from 'vitest'
import { createPostgresStore } from './postgres-store.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

storeContract('the PostgreSQL store', async () => {
  const address = await server.createDatabase()
  // The contract's events have times of their own.
  const open = () => createPostgresStore({ address, node: 'node', version: '1', checkTimes: false })
  let store = await open()
  return {
    store,
    async reopen() {
      await store.close()
      store = await open()
      return store
    },
    dispose: () => store.close(),
  }
})
