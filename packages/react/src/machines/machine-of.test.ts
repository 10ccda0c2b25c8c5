import { expect, it } from 'vitest'
import { sampleMachine } from '../testing/sample-machine.ts'
import { addressOn, isAway, machineOf } from './machine-of.ts'

const here = sampleMachine({ id: 'nod_1', isThis: true })
const there = sampleMachine({ id: 'nod_2', name: 'build', isHome: true })

it('finds the machine of a session, also of one from before there were several', () => {
  expect(machineOf([here, there], { node: 'nod_1' })).toBe(here)
  expect(machineOf([here, there], { node: undefined })).toBe(there)
  expect(machineOf([here, there], { node: 'nod_gone' })).toBeUndefined()
  expect(machineOf([here, there], undefined)).toBeUndefined()
})

it('names no machine where there is one gateway', () => {
  expect(machineOf([here], { node: 'nod_1' })).toBeUndefined()
  expect(machineOf([], { node: undefined })).toBeUndefined()
})

it('never calls the machine away that says so itself', () => {
  expect(isAway({ ...here, isReachable: false })).toBe(false)
  expect(isAway({ ...there, isReachable: false })).toBe(true)
  expect(isAway(there)).toBe(false)
})

it.each([
  ['https://build.example:4680', 'https://build.example:4680/sessions/ses_1'],
  ['http://127.0.0.1:4680/some/where', 'http://127.0.0.1:4680/sessions/ses_1'],
  ['javascript:alert(1)', undefined],
  ['ftp://build.example', undefined],
  ['build.example', undefined],
  [undefined, undefined],
])('leads a browser from the address %s to %s (T41)', (address, leads) => {
  const machine = { ...there, ...(address !== undefined && { address }) }
  expect(addressOn(machine, '/sessions/ses_1')).toBe(leads)
})
