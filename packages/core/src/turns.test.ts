import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('runs what has the same key one after another, also after a failure, and other keys meanwhile', async () => {
  const inTurn = createTurns<string>()
  const begun: string[] = []
  let fail = (_: Error) => {}
  const failing = new Promise<string>((_, reject) => {
    fail = reject
  })
  const first = inTurn('a', () => failing)
  const second = inTurn('a', async () => begun.push('second'))
  await inTurn('b', async () => begun.push('other'))
  expect(begun).toEqual(['other'])
  fail(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await second
  expect(begun).toEqual(['other', 'second'])
})
