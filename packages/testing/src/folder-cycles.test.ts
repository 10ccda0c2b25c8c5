import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileOf, importsOf, PACKAGES, ROOT, sourcesIn } from './source-imports.ts'

interface Import {
  readonly from: string
  readonly to: string
}

/** Imports between folders of one package. */
function crossings(source: string): Import[] {
  return sourcesIn(source).flatMap((from) =>
    importsOf(from).flatMap((name) => {
      const to = fileOf(name, from)
      const isInside = to?.startsWith(join(source, '/'))
      return to !== undefined && isInside && dirname(to) !== dirname(from) ? [{ from, to }] : []
    }),
  )
}

/** The imports that are part of a cycle: from the imported folder, imports lead back. */
function cyclic(imports: readonly Import[]): string[] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) next.set(dirname(from), (next.get(dirname(from)) ?? new Set()).add(dirname(to)))

  function leads(start: string, goal: string): boolean {
    const seen = new Set([start])
    for (const folder of seen) for (const imported of next.get(folder) ?? []) seen.add(imported)
    return seen.has(goal)
  }

  const short = (path: string) => path.slice(ROOT.length)
  return imports
    .filter(({ from, to }) => leads(dirname(to), dirname(from)))
    .map(({ from, to }) => `${short(from)} imports ${short(to)}`)
}

describe('no folder imports one that imports it, directly or by way of others', () => {
  it.each(PACKAGES)('in %s', (name) => {
    expect(cyclic(crossings(join(ROOT, name, 'src')))).toEqual([])
  })
})
