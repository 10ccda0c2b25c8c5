import { expect, it } from 'vitest'
import { createEventLoopLag } from './event-loop-lag.ts'

it('F47 tells the worst of the last half minute at least, of the last minute at most', () => {
  let at = 0
  let ring = () => {}
  let wanted = 0
  const lag = createEventLoopLag({
    monotonic: () => at,
    after(ms, callback) {
      wanted = ms
      ring = callback
      return () => {}
    },
  })
  /** Lets so many milliseconds pass with every timer in time, or the next one late. */
  const pass = (ms: number, late = 0) => {
    for (const end = at + ms; at < end; late = 0) {
      at += wanted + late
      ring()
    }
  }
  pass(5000)
  expect(lag.ms()).toBe(0)
  pass(1, 3000)
  expect(lag.ms()).toBe(3000)
  pass(30_000)
  expect(lag.ms()).toBe(3000)
  pass(1, 200)
  expect(lag.ms()).toBe(3000)
  pass(30_000)
  expect(lag.ms()).toBe(200)
  pass(61_000)
  expect(lag.ms()).toBe(0)
})
