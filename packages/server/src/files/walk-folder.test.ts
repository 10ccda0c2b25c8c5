import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { entryBelow, readBelow } from './safe-file.ts'
import { walkFolder } from './walk-folder.ts'

let base: string
let root: string
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'walk-')))
  root = join(base, 'project')
  await write('a.txt', 'a')
  await write('src/b.txt', 'b')
  await write('src/deep/c.txt', 'c')
  await write('.gitignore', '*.log\n/build/\n')
  await write('x.log', 'left out')
  await write('build/out.txt', 'left out')
  await write('src/.gitignore', '!kept.log')
  await write('src/kept.log', 'kept')
  await write('node_modules/p/index.js', 'left out')
  await write('.git/config', 'left out')
  await write('guarded/key', 'left out')
  await writeFile(join(base, 'secret'), 'secret')
  await symlink('../secret', join(root, 'link'))
  await symlink(base, join(root, 'folder-link'))
  execFileSync('mkfifo', [join(root, 'pipe')])
})
afterAll(() => rm(base, { recursive: true, force: true }))

const walk = (most = 1000) =>
  walkFolder(root, {
    take: (entry, path) => (entry.isFile() ? `${path} file` : entry.isSymbolicLink() ? `${path} link` : undefined),
    isLeftOut: (_, path) => path === 'guarded',
    most,
    signal: new AbortController().signal,
  })

async function write(path: string, text: string) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

it('[T53] names files and links, not what is left out, and goes through no link', async () => {
  const { found, unread } = await walk()
  expect(found).toEqual([
    '.gitignore file',
    'a.txt file',
    'folder-link link',
    'link link',
    'src/.gitignore file',
    'src/b.txt file',
    'src/kept.log file',
    'src/deep/c.txt file',
  ])
  expect(unread).toEqual([])
})

it('[I10] stops at its limit, and says where it has not been', async () => {
  expect(await walk(4)).toEqual({ found: expect.not.arrayContaining(['src/b.txt file']), unread: ['src'] })
})

it('[T53] reads a file, the text of a link, and nothing that is outside, large or no file', async () => {
  const text = (path: string) => {
    const read = readBelow(root, path, 10)
    return 'bytes' in read ? read.bytes.toString() : read.why
  }
  await write('large', '01234567890')
  expect(text('a.txt')).toBe('a')
  expect(text('link')).toBe('../secret')
  expect(text('folder-link/secret')).toBe('unreadable')
  expect(text('../secret')).toBe('unreadable')
  expect(text('src/../a.txt')).toBe('unreadable')
  expect(text('pipe')).toBe('unreadable')
  expect(text('src')).toBe('unreadable')
  expect(text('large')).toBe('large')
  expect(text('nothing')).toBe('unreadable')
  expect(entryBelow(root, 'folder-link/secret')).toBeUndefined()
})

it('finds nothing in a folder that has become a link', async () => {
  await rename(join(root, 'src'), join(root, 'was-src'))
  await symlink('was-src', join(root, 'src'))
  expect(entryBelow(root, 'src/b.txt')).toBeUndefined()
  expect((await walk()).found).toContain('src link')
  await rm(join(root, 'src'))
  await rename(join(root, 'was-src'), join(root, 'src'))
})

it('knows whether a file can be executed', async () => {
  await chmod(join(root, 'a.txt'), 0o755)
  expect(entryBelow(root, 'a.txt')?.isExecutable).toBe(true)
  await chmod(join(root, 'a.txt'), 0o644)
  expect(entryBelow(root, 'a.txt')?.isExecutable).toBe(false)
})
