import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'

vi.mock('node:fs', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs')>()),
  watch() {
    throw Object.assign(new Error('no watches left'), { code: 'ENOSPC' })
  },
}))

// Loaded anew, here and by whoever comes next in the same process: nobody else is to have the other one.
vi.resetModules()
const { watchFolderTree } = await import('./folder-tree.ts')
afterAll(() => {
  vi.doUnmock('node:fs')
  vi.resetModules()
})

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-tree-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

it('folders that cannot be watched are listed with every sweep, and it is told once', async () => {
  const found: string[] = []
  const gone: string[] = []
  const faults: unknown[] = []
  const tree = await watchFolderTree({
    root,
    wantsFolder: () => true,
    wantsFile: () => true,
    onFound: async (files, isOld) => void found.push(...files.map(({ below }) => `${below.join('/')} ${isOld}`)),
    onChange: () => {},
    onFolderGone: (path) => void gone.push(path),
    onFault: (error) => void faults.push(error),
  })
  expect(faults).toHaveLength(1)
  await mkdir(join(root, 'new'))
  await writeFile(join(root, 'new', 'file'), '')
  await tree.sweep()
  expect(found).toEqual(['new/file false'])
  expect(faults).toHaveLength(2)
  await tree.sweep()
  expect(found).toHaveLength(2)
  expect(faults).toHaveLength(2)
  await rm(join(root, 'new'), { recursive: true })
  await tree.sweep()
  expect(gone).toEqual([join(root, 'new')])
  tree.close()
})
