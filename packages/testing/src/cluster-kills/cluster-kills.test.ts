import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkHistory } from '../histories/check-history.ts'
import { LONG, report, TIMEOUT_MS } from '../long.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { seededRandom } from '../seeded-random.ts'
import { runClusterKills } from './cluster-kills.ts'

const COUNT = LONG ? 2_000 : 50

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

it(`F50 [I1, I3, I5, I9] lose, double and invent nothing with four gateways on one PostgreSQL, over ${COUNT} faults under load`, {
  timeout: LONG ? TIMEOUT_MS : 240_000,
}, async () => {
  const seed = Number(process.env.HOLDPOINT_SEED ?? Date.now() % 1_000_000)
  const { run, faults, lives, displaced, crashes } = await runClusterKills(server, {
    faults: COUNT,
    random: seededRandom(seed),
  })
  const told = (which: string) =>
    run.answers.flatMap(({ tries }) => tries).filter((tried) => tried.told === which).length
  const allowed = run.deliveries.filter(({ kind }) => kind === 'allowed').length
  report(
    `four gateways (seed ${seed}): ${COUNT} faults, ${run.raises.length} asks, ${allowed} allows delivered, answers: ${told('done')} done, ${told('refused')} refused, ${told('nothing')} not recorded, ${told('unknown')} in doubt; ${lives} lives, ${displaced} displaced; ${JSON.stringify(faults)}`,
  )
  expect(checkHistory(run)).toEqual([])
  expect(crashes).toEqual([])
  expect(run.deliveries.length).toBeGreaterThanOrEqual(COUNT)
  expect(allowed).toBeGreaterThan(COUNT / 10)
})
