import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Everything that speaks the API, serves it, or decides about what goes over it. Its types live in schema. */
const SPEAKERS = [
  'packages/core',
  'packages/server',
  'packages/client',
  'packages/embed',
  'packages/react',
  'apps/cli',
  'apps/web',
]
const NOT_SHIPPED = /^(fixtures|testing|e2e|gallery)$/

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return NOT_SHIPPED.test(entry.name) ? [] : sources(path)
    return /(?<!\.test)\.tsx?$/.test(entry.name) ? [path] : []
  })
}

const spoken = () => SPEAKERS.flatMap((name) => sources(join(root, name, 'src')))

/** Names of types, and of schemas, which are named as types are. */
function declared(path: string, declaration: RegExp): string[] {
  return [...readFileSync(path, 'utf8').matchAll(declaration)].map(([, name = '']) => name)
}

it('gives every type of the wire one home', () => {
  const inSchema = sources(join(root, 'packages/schema/src')).flatMap((path) =>
    declared(path, /^export (?:interface|type|const) ([A-Z]\w*[a-z]\w*)/gm),
  )
  for (const name of ['Snapshot', 'ServerFrame', 'StreamEvent', 'Me', 'Folders', 'FolderTrust', 'ItemPage'])
    expect(inSchema).toContain(name)
  const again = spoken().flatMap((path) =>
    declared(path, /^(?:export )?(?:interface|type|const) ([A-Z]\w*)/gm)
      .filter((name) => inSchema.includes(name))
      .map((name) => `${relative(root, path)}: ${name}`),
  )
  expect(again).toEqual([])
})

it('writes the addresses of the API in schema alone', () => {
  const wrong = spoken().filter((path) => /^(?!\s*(?:\/?\*|\/\/)).*['"`]\/api\//m.test(readFileSync(path, 'utf8')))
  expect(wrong.map((path) => relative(root, path))).toEqual([])
})
