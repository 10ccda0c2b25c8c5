import { afterAll, beforeAll } from 'vitest'
import { LONG } from '../long.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { awayContract } from './away-contract.ts'
import { devicesContract } from './devices-contract.ts'
import { settingsContract } from './settings-contract.ts'
import { memoryWorld, postgresWorld } from './two-gateways.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

devicesContract('in memory', memoryWorld)
settingsContract('in memory', memoryWorld)
awayContract('in memory', memoryWorld)

const inPostgres = () => postgresWorld(server)
devicesContract('on PostgreSQL', inPostgres)
// Each of its tests takes a database of its own.
if (LONG) settingsContract('on PostgreSQL', inPostgres)
awayContract('on PostgreSQL', inPostgres)
