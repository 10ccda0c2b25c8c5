import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '@holdpoint/server/system/version'
import { expect, it } from 'vitest'
import { ROOT, WORKSPACES } from './source-imports.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

it('is one number, in every manifest, in the lockfile, in the program and on the README', () => {
  const { version } = JSON.parse(read('package.json'))
  const lock: { version: string; packages: Record<string, { version: string }> } = JSON.parse(read('package-lock.json'))
  const [, packed] = /`dist\/holdpoint-(.+?)\.tgz`/.exec(read('README.md')) ?? []
  const found = [
    ['packages/server/src/system/version.ts', VERSION],
    ['README.md', packed],
    ['package-lock.json', lock.version],
    ...['', ...WORKSPACES].map((path) => [`package-lock.json ${path}`, lock.packages[path]?.version]),
    ...WORKSPACES.map((path) => [`${path}/package.json`, JSON.parse(read(`${path}/package.json`)).version]),
  ]
  expect(found.filter(([, at]) => at !== version)).toEqual([])
})
