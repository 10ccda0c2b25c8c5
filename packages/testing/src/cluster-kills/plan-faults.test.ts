import { expect, it } from 'vitest'
import { planFaults } from './plan-faults.ts'

it('one seed gives one plan of faults, another seed another one of the same kinds', () => {
  const plan = (seed: number) => planFaults(100, { seed, gateways: 4 })
  const names = (seed: number) => plan(seed).map(({ name }) => name)
  expect(plan(1)).toEqual(plan(1))
  expect(names(2)).not.toEqual(names(1))
  expect(names(2).sort()).toEqual(names(1).sort())
})
