import { expect, it } from 'vitest'
import { z } from 'zod'
import { issuesOf } from './issues.ts'

const Shape = z.strictObject({ name: z.string(), tags: z.array(z.int()).optional() })

const issues = (value: unknown) => {
  const { error } = Shape.safeParse(value)
  return error ? issuesOf(error) : []
}

it('says where and what', () => {
  expect(issues({ name: 1, tags: [1, 'x'] })).toEqual([
    expect.stringMatching(/^name: .*string/),
    expect.stringMatching(/^tags\.1: .*/),
  ])
})

it('T43 names a field that is not known only where it is no secret', () => {
  expect(issues({ name: 'x', nmae: 1 })).toEqual(['unknown field nmae'])
  expect(issues({ name: 'x', 'a-token-0123456789abcdef0123456789abcdef': 1 })).toEqual(['there is an unknown field'])
})

it('is not longer than anybody would read', () => {
  expect(issues({ name: 'x', tags: Array.from({ length: 500 }, () => 'x') }).length).toBe(20)
})
