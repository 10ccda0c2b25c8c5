import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { DIALECTS } from '@holdpoint/server/dialects/dialect'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const page = (name: string) => readFileSync(`${root}docs/protocols/${name}.md`, 'utf8')

describe('the pages of the protocols', () => {
  it('are one for each, with a plain client for each dialect', () => {
    const pages = readdirSync(`${root}docs/protocols`).filter((name) => name !== 'README.md')
    expect(pages.sort()).toEqual([...DIALECTS, 'native'].map((name) => `${name}.md`).sort())
    const clients = readdirSync(`${root}examples/clients`).filter((name) => name.endsWith('.mjs'))
    expect(clients.sort()).toEqual(DIALECTS.map((name) => `${name}.mjs`).sort())
  })

  it.each([...DIALECTS, 'native'])('%s shows an exchange that went both ways', (name) => {
    const [, exchange = ''] =
      /<!-- transcript -->\n```text\n([\s\S]+?)\n```\n<!-- \/transcript -->/.exec(page(name)) ?? []
    const lines = exchange.split('\n')
    expect(lines.filter((line) => line.startsWith('→ ')).length).toBeGreaterThan(2)
    expect(lines.filter((line) => line.startsWith('← ')).length).toBeGreaterThan(4)
  })

  it.each([...DIALECTS])('%s says where it departs from its document', (name) => {
    expect(page(name)).toMatch(/## Where it departs from the document, and why\n\n\| section \|/)
  })

  it.each([...DIALECTS])('%s has a plain client that imports nothing of this project', (name) => {
    const files = [`${name}.mjs`, ...readdirSync(`${root}examples/clients/lib`).map((file) => `lib/${file}`)]
    const imported = files.flatMap((file) => [
      ...readFileSync(`${root}examples/clients/${file}`, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g),
    ])
    const foreign = imported.map(([, from = '']) => from).filter((from) => !/^(node:.*|ws|\.\/[\w/.-]+)$/.test(from))
    expect(foreign).toEqual([])
  })
})
