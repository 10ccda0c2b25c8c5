import { expect, it } from 'vitest'
import { checkHistory } from '../histories/check-history.ts'
import { LONG, report, TIMEOUT_MS } from '../long.ts'
import { startPostgres } from '../postgres-server.ts'
import { runClusterKills } from './cluster-kills.ts'

/** Many short runs, so that a long one tells of each part when it is over. */
const RUNS = LONG ? 20 : 1
const COUNT = LONG ? 100 : 50

// A new one only in long runs: a commit is good or bad whoever runs it.
const first = Number(process.env.HOLDPOINT_SEED ?? (LONG ? Date.now() % 1_000_000 : 20_261_116))
const seeds = Array.from({ length: RUNS }, (_, run) => first + run)

it.each(seeds)(
  `F50 [I1, I3, I5, I9] lose, double and invent nothing with four gateways on one PostgreSQL, over ${COUNT} faults under load (seed %i)`,
  {
    timeout: LONG ? TIMEOUT_MS : 240_000,
  },
  async (seed) => {
    const again = `Run the same plan of faults again: HOLDPOINT_SEED=${seed}${LONG ? ' HOLDPOINT_LONG=1' : ''} npm test -- packages/testing/src/cluster-kills`
    // A server of its own: after a kill it looks through the files of all its databases, those of earlier runs too.
    await using server = await startPostgres()
    const { run, made, lives, displaced, crashes } = await runClusterKills(server, { faults: COUNT, seed }).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}. ${again}`, { cause: error })
      },
    )
    const told = (which: string) =>
      run.answers.flatMap(({ tries }) => tries).filter((tried) => tried.told === which).length
    const allowed = run.deliveries.filter(({ kind }) => kind === 'allowed').length
    const raised = run.raises.filter(({ tries }) => tries.some((tried) => tried.told === 'done')).length
    const count = Object.values(made).reduce((sum, each) => sum + each, 0)
    report(
      `four gateways (seed ${seed}): ${count} faults, ${run.raises.length} asks (${raised} of programs), ${allowed} allows delivered, answers: ${told('done')} done, ${told('refused')} refused, ${told('nothing')} not recorded, ${told('unknown')} in doubt; ${lives} lives, ${displaced} displaced; ${JSON.stringify(made)}`,
    )
    expect(checkHistory(run), again).toEqual([])
    expect(crashes, again).toEqual([])
    expect(run.deliveries.length).toBeGreaterThanOrEqual(COUNT)
    expect(allowed).toBeGreaterThan(COUNT / 10)
    expect(raised).toBeGreaterThan(COUNT / 10)
    expect(count).toBe(COUNT)
  },
)
