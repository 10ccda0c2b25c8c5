import { expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { sampleMachine } from '../testing/sample-machine.ts'
import { decisionOf } from './away-machine.ts'

it('is another decision once the machine is back, so that the buttons are armed anew (T29)', () => {
  const ask = sampleAsk()
  const here = decisionOf({ ask, machine: undefined })
  expect(decisionOf({ ask, machine: sampleMachine() })).toBe(here)
  expect(decisionOf({ ask, machine: sampleMachine({ isReachable: false }) })).not.toBe(here)
})
