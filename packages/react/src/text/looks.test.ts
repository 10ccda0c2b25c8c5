import { expect, it } from 'vitest'
import { emphasize, looksByLine } from './looks.ts'

it('gives each line its part of a look that runs over several', () => {
  expect(looksByLine('ab\ncde\n\nf', [{ start: 1, end: 5, color: 'red' }])).toEqual([
    [{ start: 1, end: 2, color: 'red' }],
    [{ start: 0, end: 2, color: 'red' }],
    [],
    [],
  ])
})

it('adds emphasis without losing colour, and cuts where one of them ends', () => {
  expect(
    emphasize(
      [
        { start: 0, end: 4, color: 'red' },
        { start: 6, end: 8, color: 'blue' },
      ],
      [{ start: 2, end: 7 }],
    ),
  ).toEqual([
    { start: 0, end: 2, color: 'red', emphasis: false },
    { start: 2, end: 4, color: 'red', emphasis: true },
    { start: 4, end: 6, emphasis: true },
    { start: 6, end: 7, color: 'blue', emphasis: true },
    { start: 7, end: 8, color: 'blue', emphasis: false },
  ])
})
