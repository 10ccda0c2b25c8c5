import { expect, it } from 'vitest'
import { createAttempts } from './attempts.ts'

function setUp() {
  let at = 0
  const attempts = createAttempts({ now: () => at, perSource: 5, overall: 30 })
  const tryAs = (source: string) => {
    const may = attempts.mayTry(source)
    if (may) attempts.failed(source)
    return may
  }
  return { tryAs, attempts, pass: (ms: number) => (at += ms) }
}

it('T47 lets one source fail five times a minute', () => {
  const { tryAs, pass } = setUp()
  const tries = Array.from({ length: 1000 }, () => tryAs('a'))
  expect(tries.filter(Boolean).length).toBe(5)
  expect(tryAs('b')).toBe(true)
  pass(60_000)
  expect(tryAs('a')).toBe(true)
})

it('T47 lets all sources together fail thirty times a minute', () => {
  const { tryAs } = setUp()
  const tries = Array.from({ length: 1000 }, (_, index) => tryAs(`source ${index}`))
  expect(tries.filter(Boolean).length).toBe(30)
})

it('does not count what succeeds', () => {
  const { attempts } = setUp()
  for (let i = 0; i < 100; i++) expect(attempts.mayTry('a')).toBe(true)
})
