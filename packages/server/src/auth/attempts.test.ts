import { expect, it } from 'vitest'
import { createAttempts } from './attempts.ts'

function setUp() {
  let at = 0
  const attempts = createAttempts({ monotonic: () => at, perSource: 5, overall: 30 })
  return { ...attempts, pass: (ms: number) => (at += ms) }
}

it('T47 lets one source fail five times a minute', () => {
  const { failed, pass } = setUp()
  const tries = Array.from({ length: 1000 }, () => failed('a'))
  expect(tries.filter(Boolean).length).toBe(5)
  expect(failed('b')).toBe(true)
  pass(59_999)
  expect(failed('a')).toBe(false)
  pass(1)
  expect(failed('a')).toBe(true)
})

it('T47 lets all sources together fail thirty times a minute', () => {
  const { failed } = setUp()
  const tries = Array.from({ length: 1000 }, (_, index) => failed(`source ${index}`))
  expect(tries.filter(Boolean).length).toBe(30)
})
