import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** One string of a test file that quotes ids: the name of a test or of a group of tests, or a row of a table of cases. */
interface QuotedName {
  readonly file: string
  readonly name: string
  readonly ids: ReadonlySet<string>
}

interface Row {
  readonly id: string
  readonly sentence: string
  /** The tests that are said to prove it; none for an id that is open. */
  readonly proofs: readonly { file: string; name: string }[]
  readonly isOpen: boolean
}

const files = ['packages', 'apps', 'scripts', 'docs', 'bench'].flatMap((folder) => filesBelow(join(root, folder)))
const names = files.filter((file) => /\.test\.(tsx?|mjs)$|-contract\.ts$/.test(file)).flatMap(quotedNames)
const rows = pageRows(readFileSync(join(root, 'docs/threats.md'), 'utf8'))
const listed = new Set(rows.map((row) => row.id))

describe('docs/threats.md', () => {
  it('has each id once, with a sentence, and with tests or the reason why it is open', () => {
    expect(rows.map((row) => row.id)).toEqual([...listed])
    expect(rows.filter((row) => row.sentence === '' || (row.proofs.length === 0 && !row.isOpen))).toEqual([])
  })

  it('has every id that the name of a test quotes', () => {
    const missing = names.flatMap(({ file, name, ids }) => {
      return [...ids].filter((id) => !listed.has(id)).map((id) => `${id}: ${file} "${name}"`)
    })
    expect(missing).toEqual([])
  })

  it('has every id that a comment or a page quotes', () => {
    const missing = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const quoted = [...text.matchAll(/\(((?:[TFEI]\d+(?:, )?)+)\)/g)].flatMap(([, ids = '']) => [...idsIn(ids)])
      return quoted.filter((id) => !listed.has(id)).map((id) => `${id}: ${file}`)
    })
    expect(missing).toEqual([])
  })

  it('names only tests that exist and quote the id', () => {
    const wrong = rows.flatMap(({ id, proofs }) => {
      const quoting = names.filter(({ ids }) => ids.has(id))
      const isThere = (proof: { file: string; name: string }) =>
        quoting.some(({ file, name }) => file === proof.file && name.includes(proof.name))
      return proofs
        .filter((proof) => !isThere(proof))
        .map((proof) => ({ id, ...proof, instead: quoting.map(({ file, name }) => `${file} "${name}"`) }))
    })
    expect(wrong).toEqual([])
  })

  it('names no test of a file that skips some under all circumstances', () => {
    const named = new Set(rows.flatMap(({ proofs }) => proofs.map(({ file }) => file)))
    const skips = /\b(?:it|test|describe)(?:\.\w+)*\.(?:skip|todo)\b/
    expect(skips.test("describe.skip('x')")).toBe(true)
    expect([...named].filter((file) => skips.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
  })

  it('calls no id open that a test quotes', () => {
    const quoted = new Set(names.flatMap(({ ids }) => [...ids]))
    expect(rows.filter(({ id, isOpen }) => isOpen && quoted.has(id)).map(({ id }) => id)).toEqual([])
  })
})

function pageRows(page: string): Row[] {
  return [...page.matchAll(/^\| ([TFEI]\d+) \| (.*?) \| (.*) \|$/gm)].map(([, id = '', sentence = '', proof = '']) => ({
    id,
    sentence,
    proofs: [...proof.matchAll(/`([^`]+)` "([^"]+)"/g)].map(([, file = '', name = '']) => ({ file, name })),
    isOpen: /^open: \S/.test(proof),
  }))
}

/** Strings of a line, without those that are printed, and without single words: F5 is also the name of a key. */
function quotedNames(file: string): QuotedName[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines
    .filter((line) => !/^\s*(\/\/|\/?\*)|\b(report|tell)\(/.test(line))
    .flatMap((line) => line.match(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/g) ?? [])
    .filter((text) => text.includes(' '))
    .map((text) => ({ file, name: text.slice(1, -1), ids: idsIn(text) }))
    .filter(({ ids }) => ids.size > 0)
}

/** `T7`, and `I1–I3` for all three. */
function idsIn(text: string): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const [, kind = '', first = '', last = first] of text.matchAll(/\b([TFEI])(\d{1,3})(?:–\1(\d{1,3}))?\b/g)) {
    for (let number = Number(first); number <= Number(last); number += 1) ids.add(`${kind}${number}`)
  }
  return ids
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : filesBelow(path)
    return /\.(tsx?|mjs|md)$/.test(entry.name) ? [relative(root, path)] : []
  })
}
