import type { Machine } from '@holdpoint/schema/endpoints/machines'
import { expect, it } from 'vitest'
import { machineTable } from './machine-table.ts'

const machine = (given: Partial<Machine>) =>
  ({
    id: 'nod_01m7esrwym7y8ebk13fz98yd60',
    name: 'build-1',
    version: '0.1.0',
    agents: [],
    isReachable: true,
    beatAgeMs: 60_000,
    isDraining: false,
    isThis: false,
    ...given,
  }) as unknown as Machine

const table = (isReachable: boolean) =>
  machineTable([machine({ isThis: true, isReachable }), machine({ isReachable: false })], { columns: undefined })

it('says which machines can be reached, and of none that it cannot while this gateway hears of nobody', () => {
  expect(table(true).join()).toMatch(/reachable, this gateway.*not reachable/)
  expect(table(true)).toHaveLength(3)
  const cutOff = table(false)
  expect(cutOff.join()).not.toContain('not reachable')
  expect(cutOff[1]).toMatch(/not known, this gateway/)
  expect(cutOff.at(-1)).toContain('cannot reach its database')
})
