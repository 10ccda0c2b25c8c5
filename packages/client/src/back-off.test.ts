import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backOffMs } from './back-off.ts'

it('F33 waits longer after each failure, never all clients at once', () => {
  fc.assert(
    fc.property(fc.nat(80), fc.double({ min: 0, max: 0.999_999, noNaN: true }), (failures, random) => {
      const ceiling = Math.min(failures < 40 ? 2000 : 10_000, 250 * 2 ** failures)
      const wait = backOffMs(failures, () => random)
      expect(wait).toBeGreaterThanOrEqual(ceiling / 2)
      expect(wait).toBeLessThanOrEqual(ceiling)
    }),
  )
  // Two thousand clients that lost the gateway together and fail three times come back over a second, not in one moment.
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const waits = Array.from({ length: 2000 }, () => [0, 1, 2].reduce((sum, n) => sum + backOffMs(n, random), 0))
  const perSlot = new Map<number, number>()
  for (const wait of waits) perSlot.set(Math.floor(wait / 50), (perSlot.get(Math.floor(wait / 50)) ?? 0) + 1)
  expect(Math.max(...perSlot.values())).toBeLessThan(400)
})
