import type { Ask } from '@holdpoint/schema/ask'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { asksWithin } from './asks-within.ts'

type Sized = Ask & { readonly size: number }
const ask = (id: string, size: number, raisedBy?: string) =>
  ({ id, size, ...(raisedBy && { raisedBy }) }) as unknown as Sized
const within = (limit: number, asks: readonly Sized[]) =>
  asksWithin(limit, asks, (one) => (one as Sized).size).map(({ id }) => id)

it('I7 shows of an agent’s asks the same, whatever programs have raised', () => {
  const sizes = fc.array(fc.record({ size: fc.nat(60), isProgram: fc.boolean() }), { maxLength: 30 })
  fc.assert(
    fc.property(sizes, (given) => {
      const asks = given.map(({ size, isProgram }, n) => ask(`${n}`, size, isProgram ? 'dev_ci' : undefined))
      const agents = asks.filter(({ raisedBy }) => raisedBy === undefined)
      const alone = within(100, agents)
      expect(within(100, asks).slice(0, alone.length)).toEqual(alone)
      if (agents[0]) expect(alone).toContain(agents[0].id)
    }),
  )
})

it('keeps showing what was shown until it is settled, whatever else comes and goes', () => {
  const given = fc.array(fc.record({ size: fc.nat(60), isProgram: fc.boolean() }), { minLength: 2, maxLength: 20 })
  fc.assert(
    fc.property(given, fc.nat(), fc.nat(60), (sizes, seed, size) => {
      const asks = sizes.map((one, n) => ask(`${n}`, one.size, one.isProgram ? 'dev_ci' : undefined))
      const shown = within(100, asks)
      const settled = shown[seed % shown.length]
      const left = asks.filter(({ id }) => id !== settled)
      expect(within(100, left)).toEqual(expect.arrayContaining(shown.filter((id) => id !== settled)))
      for (const raisedBy of [undefined, 'dev_ci'])
        expect(within(100, [...asks, ask('new', size, raisedBy)])).toEqual(expect.arrayContaining(shown))
    }),
  )
})

it('gives programs a quarter of the room, after the agents', () => {
  const asks = [ask('p', 20, 'dev_ci'), ask('q', 5, 'dev_other'), ask('a', 100), ask('r', 5, 'dev_other')]
  expect(within(100, asks)).toEqual(['a', 'p', 'q'])
})
