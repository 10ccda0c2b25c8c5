import { expect, it } from 'vitest'
import { runKillCycles } from './kill-cycles.ts'
import { LONG } from './long.ts'
import { seededRandom } from './seeded-random.ts'

const CYCLES = LONG ? 10_000 : 40

it(
  `[F1, F2, F3, I1, I3, I5] loses, doubles and invents nothing over ${CYCLES} gateways killed at any moment`,
  async () => {
    const seed = Number(process.env.HOLDPOINT_SEED ?? Date.now() % 1_000_000)
    const report = await runKillCycles({ cycles: CYCLES, sessions: 4, random: seededRandom(seed) })
    console.error(
      `kill -9 (seed ${seed}): ${report.cycles} cycles, ${report.asked} asks, ${report.acknowledged} answers acknowledged, ${report.told} outcomes delivered`,
    )
    expect(report.acknowledged).toBeGreaterThan(CYCLES)
    expect(report).toMatchObject({ lost: [], stray: [], unrecorded: [] })
    expect(report.chain.fault).toBeUndefined()
  },
  CYCLES * 6_000,
)
