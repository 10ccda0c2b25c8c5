import { afterAll, beforeAll, expect, it } from 'vitest'
import { LONG, report, TIMEOUT_MS } from '../long.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { seededRandom } from '../seeded-random.ts'
import { checkHistory } from './check-history.ts'
import { runRevocationRaces } from './revocation-races.ts'

const COUNT = LONG ? 5_000 : 500

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

it(`[I8] take no answer of a device after its revocation elsewhere, in ${COUNT} races`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const seed = Number(process.env.HOLDPOINT_SEED ?? Date.now() % 1_000_000)
  const { run, won } = await runRevocationRaces(server, { count: COUNT, random: seededRandom(seed) })
  report(`revocations (seed ${seed}): ${COUNT} races, ${won} answers were first, ${COUNT - won} refused`)
  expect(checkHistory(run)).toEqual([])
  expect(run.revocations).toHaveLength(COUNT)
  expect(Math.min(won, COUNT - won)).toBeGreaterThan(COUNT / 20)
})
