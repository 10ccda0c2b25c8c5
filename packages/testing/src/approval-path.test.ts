import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { report } from './long.ts'
import { fileOf, importsOf, ROOT } from './source-imports.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Files that one approval crosses. More of them, and nobody follows it. */
const MOST = 60

const page = sectionOf(read('docs/architecture.md'))
const steps = stepsOf(page)
const listed = new Set(steps.map(({ path }) => path))

describe('one approval, file by file', () => {
  it(`crosses at most ${MOST} files, each once`, () => {
    const crossed = steps.filter(({ isSetUp }) => !isSetUp)
    report(`one approval: ${crossed.length} files, and ${listed.size - crossed.length} that set them up`)
    expect(crossed.length).toBeGreaterThan(0)
    expect(steps.length).toBe(listed.size)
    expect(crossed.length).toBeLessThanOrEqual(MOST)
  })

  it('names files that exist, and each is imported by another one, except where a process or page begins', () => {
    expect([...listed].filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    const imported = new Set([...listed].flatMap((path) => filesImportedBy(path).filter((target) => target !== path)))
    const lost = steps.filter(({ path, isFirst }) => !isFirst && !imported.has(path)).map(({ path }) => path)
    expect(lost).toEqual([])
  })

  it('leaves out nothing that knows of asks, unless the page says what it is called for', () => {
    const imported = new Set([...listed].flatMap((path) => filesImportedBy(path)))
    const besides = [...imported].filter((path) => !listed.has(path) && knowsOfAsks(path))
    expect(besides.sort()).toEqual(besidesOf(page).sort())
  })
})

function sectionOf(whole: string): string {
  return /^## One approval, file by file\n(.*?)^## /ms.exec(whole)?.[1] ?? ''
}

/** Rows that begin with a reason: the files that are called for it. */
function besidesOf(section: string): string[] {
  const rows = [...section.matchAll(/^\| [^`|]+ \| (`.+) \|$/gm)]
  return rows.flatMap(([, paths = '']) => [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path))
}

const CONTRACTS = ['ask', 'answer', 'outcome', 'event', 'stream'].map((name) => `packages/schema/src/${name}.ts`)

function knowsOfAsks(path: string): boolean {
  return CONTRACTS.includes(path) || filesImportedBy(path).some((target) => CONTRACTS.includes(target))
}

/** Rows of the section: a file and what happens in it. "Begins": a process or page. "(set-up)": no ask goes through it. */
function stepsOf(section: string) {
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)]
  return rows.map(([, path = '', what = '']) => ({
    path,
    isFirst: what.startsWith('Begins'),
    isSetUp: what.endsWith('(set-up)'),
  }))
}

/** The files that a file imports, by value or by type; what it imports through a package's index, too. */
function filesImportedBy(path: string): string[] {
  const targets = resolved(path, importsOf(join(ROOT, path)))
  return targets.flatMap((target) => [target, ...reexports(target)])
}

function reexports(path: string): string[] {
  return resolved(
    path,
    [...read(path).matchAll(/^export [^;]*? from '([^']+)'/gm)].map(([, from = '']) => from),
  )
}

function resolved(importer: string, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const file = fileOf(name, join(ROOT, importer))
    return file === undefined ? [] : [relative(ROOT, file)]
  })
}
