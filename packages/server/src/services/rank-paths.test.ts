import { expect, it } from 'vitest'
import { rankPaths } from './rank-paths.ts'

const PATHS = ['src/', 'README.md', 'src/app.ts', 'src/parts/', 'lib/apps.ts', 'src/parts/happy.ts', 'a/p/p.ts']

it.each([
  ['', PATHS],
  ['src/', ['src/', 'src/app.ts', 'src/parts/', 'src/parts/happy.ts']],
  ['APP', ['src/app.ts', 'lib/apps.ts', 'src/parts/happy.ts', 'a/p/p.ts']],
  ['./readme', ['README.md']],
  ['sphy', ['src/parts/happy.ts']],
  ['nowhere', []],
])('puts first what is likeliest meant by %j', (typed, expected) => {
  expect(rankPaths(PATHS, typed, 50)).toEqual(expected)
})

it('names no more than it is asked for', () => {
  expect(rankPaths(PATHS, 'p', 2)).toEqual(['src/parts/', 'a/p/p.ts'])
})
