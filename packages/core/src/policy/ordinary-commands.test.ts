import { report } from '@holdpoint/testing/long'
import { expect, it } from 'vitest'
import { ORDINARY } from './fixtures/ordinary-commands.ts'

it('measures with a thousand different commands and enough of each label', () => {
  const counts = { reads: 0, changes: 0, 'reaches-out': 0 }
  for (const { does } of ORDINARY) counts[does] += 1
  const distinct = new Set(ORDINARY.map(({ command }) => command))
  report(`ordinary commands: ${distinct.size} distinct, ${JSON.stringify(counts)}`)

  expect(distinct.size).toBeGreaterThanOrEqual(1_000)
  expect(distinct.size).toBe(ORDINARY.length)
  expect(Math.min(...Object.values(counts))).toBeGreaterThanOrEqual(150)
})

it('has each command as one line that an agent would type', () => {
  expect(ORDINARY.map(({ command }) => command).filter((command) => !/^\S(.*\S)?$/.test(command))).toEqual([])
})
