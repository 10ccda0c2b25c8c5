import fc from 'fast-check'
import { expect, it } from 'vitest'
import { portion } from './portion.ts'

const same = (cost: number) => cost

it('keeps to the limit, and takes what costs nothing along', () => {
  expect(portion([1, 0, 1, 0, 1], same, 2)).toEqual({ shown: [1, 0, 1, 0], left: 1 })
})

it('takes one item that is over the limit by itself', () => {
  expect(portion([9, 1], same, 5)).toEqual({ shown: [9], left: 1 })
})

it('gets to the end by steps, and says that it is there only then', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 30 }), (costs, step) => {
      const total = costs.reduce((sum, cost) => sum + cost, 0)
      for (let limit = step; limit <= total + step; limit += step) {
        const { shown, left } = portion(costs, same, limit)
        expect(left === 0).toBe(shown.length === costs.length)
      }
      expect(portion(costs, same, total).left).toBe(0)
    }),
  )
})
