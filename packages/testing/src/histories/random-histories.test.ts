import { afterAll, beforeAll, expect, it } from 'vitest'
import { LONG, report, TIMEOUT_MS } from '../long.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { checkHistory } from './check-history.ts'
import { runRandomHistories } from './random-histories.ts'

const COUNT = LONG ? 2_000 : 200

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

it(`[I1, I3, I5, I9] keep ${COUNT} random histories of three gateways true, whatever is cut meanwhile`, {
  timeout: LONG ? TIMEOUT_MS : 240_000,
}, async () => {
  const seed = Number(process.env.HOLDPOINT_SEED ?? Date.now() % 1_000_000)
  const { run, faults } = await runRandomHistories(server, { count: COUNT, seed })
  const told = (which: string) =>
    run.answers.flatMap(({ tries }) => tries).filter((tried) => tried.told === which).length
  report(
    `random histories (seed ${seed}): ${COUNT}, ${run.raises.length} asks, answers: ${told('done')} done, ${told('refused')} refused, ${told('nothing')} not recorded, ${told('unknown')} in doubt; ${JSON.stringify(faults)}`,
  )
  expect(checkHistory(run)).toEqual([])
})
