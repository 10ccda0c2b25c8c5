import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const MAX_LINES = 400
const root = fileURLToPath(new URL('../../..', import.meta.url))
const SOURCE = /\.(ts|tsx|mjs|js|css)$/
const TEST = /\.test\.(ts|tsx|mjs)$/
const NOT_OURS = new Set(['node_modules', 'dist'])

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : sourcesBelow(path)
    return SOURCE.test(entry.name) && !TEST.test(entry.name) ? [path] : []
  })
}

it('no source file is longer than one reader takes in', () => {
  const sources = ['packages', 'apps', 'scripts', 'bench', 'examples'].flatMap((name) => sourcesBelow(join(root, name)))
  expect(sources.length).toBeGreaterThan(500)
  const long = sources
    .map((path) => ({ path: relative(root, path), lines: readFileSync(path, 'utf8').trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
  expect(long).toEqual([])
})
