import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const guides = readdirSync(join(root, 'docs', 'guides')).filter((name) => name.endsWith('.md'))

/** Blocks that name the file they show: ```ts examples/a/b.ts */
function shownFiles(text: string) {
  return [...text.matchAll(/^```\w+ (\S+\/\S+)\n(.*?)^```$/gms)].map(([, path = '', code = '']) => ({ path, code }))
}

describe.each(guides)('the guide %s', (name) => {
  const text = readFileSync(join(root, 'docs', 'guides', name), 'utf8')

  it('shows the files that the tests run, as they are', () => {
    for (const { path, code } of shownFiles(text)) expect(code, path).toBe(readFileSync(join(root, path), 'utf8'))
  })

  it('names only files that are there', () => {
    const named = [...text.matchAll(/`((?:packages|examples|apps|docs)\/[\w./-]+\.\w+)`/g)].map(([, path = '']) => path)
    for (const path of named) expect(() => readFileSync(join(root, path)), path).not.toThrow()
  })
})

it('shows every file of the file picker in its guide', () => {
  const guide = readFileSync(join(root, 'docs', 'guides', 'interactive-tools.md'), 'utf8')
  const files = readdirSync(join(root, 'examples', 'interactive-tools')).map(
    (name) => `examples/interactive-tools/${name}`,
  )
  expect(
    shownFiles(guide)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(files.sort())
})
