import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { realPaths } from './real-paths.ts'

let root: string
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'hp-real-')))
  await mkdir(join(root, 'inside'))
  await writeFile(join(root, 'inside/a.txt'), '')
  await symlink('/etc', join(root, 'out'))
  await symlink('b', join(root, 'a'))
  await symlink('a', join(root, 'b'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

it('follows links, also above what does not exist, and leaves out what cannot be followed', async () => {
  const at = (path: string) => join(root, path)
  const found = await realPaths([at('inside/a.txt'), at('new/b.txt'), at('out/hosts'), at('out/new/x'), at('a/x')])
  expect([...found]).toEqual([
    [at('inside/a.txt'), at('inside/a.txt')],
    [at('new/b.txt'), at('new/b.txt')],
    [at('out/hosts'), '/etc/hosts'],
    [at('out/new/x'), '/etc/new/x'],
  ])
})

it('looks at two hundred and no more', async () => {
  const many = Array.from({ length: 300 }, (_, n) => join(root, `${n}`))
  expect((await realPaths(many)).size).toBe(200)
})
