import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { LONG } from '@holdpoint/testing/long'
import { seededRandom } from '@holdpoint/testing/seeded-random'
import { describe, expect, it } from 'vitest'
import { listFolderFiles } from './folder-files.ts'

const run = promisify(execFile)
const never = new AbortController().signal
const list = async (root: string, within?: string[]) =>
  [...(await listFolderFiles(root, { signal: never, ...(within && { within }) })).paths].sort()

/** A folder with these files in it; what ends with a slash is a folder, what has a text has it. */
async function folder(files: Record<string, string>) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hp-folder-')))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    if (path.endsWith('/')) await mkdir(join(root, path), { recursive: true })
    else await writeFile(join(root, path), text)
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

describe('the files of a folder', () => {
  it('are there without those that its repository ignores', async () => {
    await using made = await folder({
      '.git/info/exclude': 'mine.txt\n',
      '.gitignore': '*.log\n/dist/\n',
      'a.ts': '',
      'a.log': '',
      'mine.txt': '',
      'dist/a.js': '',
      'node_modules/x/index.js': '',
      'src/.gitignore': '!keep.log\ngenerated\n',
      'src/b.ts': '',
      'src/keep.log': '',
      'src/generated/c.ts': '',
      'src/dist/d.js': '',
    })
    expect(await list(made.root)).toEqual([
      '.gitignore',
      'a.ts',
      'src/',
      'src/.gitignore',
      'src/b.ts',
      'src/dist/',
      'src/dist/d.js',
      'src/keep.log',
    ])
    // In a folder of the repository, its rules hold too.
    expect(await list(join(made.root, 'src'))).toEqual(['.gitignore', 'b.ts', 'dist/', 'dist/d.js', 'keep.log'])
    expect(await list(made.root, ['src'])).toEqual(['src/.gitignore', 'src/b.ts', 'src/dist/', 'src/keep.log'])
    expect(await list(made.root, ['dist'])).toEqual([])
  })

  it('are there in a folder that a repository above ignores as a whole', async () => {
    await using home = await folder({ '.git/x': '', '.gitignore': '*\n!.profile\n', 'work/project/a.txt': '' })
    expect(await list(join(home.root, 'work/project'))).toEqual(['a.txt'])
    expect(await list(home.root)).toEqual([])
  })

  it('T53 are those of no link, and none outside of it', async () => {
    await using outside = await folder({ 'secret.txt': '', 'below/secret.txt': '' })
    await using made = await folder({ 'real/a.txt': '' })
    await symlink(outside.root, join(made.root, 'folder'))
    await symlink(join(outside.root, 'secret.txt'), join(made.root, 'file.txt'))
    await symlink(outside.root, join(made.root, 'real/folder'))
    expect(await list(made.root)).toEqual(['real/', 'real/a.txt'])
    for (const within of [
      ['folder'],
      ['..'],
      ['real', '..', '..'],
      ['folder', 'below'],
      ['real', 'folder'],
      [''],
      ['\0'],
    ])
      expect(await list(made.root, within), within.join('/')).toEqual([])
    // The folder itself has become a link.
    await symlink(outside.root, join(made.root, 'session'))
    expect(await list(join(made.root, 'session'))).toEqual([])
    // A link in the place of what says which are ignored is not read.
    await writeFile(join(outside.root, 'secret.txt'), '*.txt\n')
    await symlink(join(outside.root, 'secret.txt'), join(made.root, '.gitignore'))
    expect(await list(made.root)).toContain('real/a.txt')
    // Nor where it leads.
    await symlink('*.txt', join(made.root, 'real/.gitignore'))
    expect(await list(made.root)).toContain('real/a.txt')
  })

  it('T67 are read without git: nothing that a repository configures runs', async () => {
    await using made = await folder({ 'a.txt': 'hi\n', '.gitattributes': '*.txt diff=t filter=f\n' })
    await run('git', ['init', '--quiet'], { cwd: made.root, env: { PATH: process.env.PATH, HOME: made.root } })
    const trap = `touch ${join(made.root, 'ran')}; cat`
    await writeFile(
      join(made.root, '.git/config'),
      `[core]\n\tfsmonitor = "${trap}"\n\thooksPath = hooks\n\texcludesFile = /dev/zero\n[filter "f"]\n\tclean = "${trap}"\n\tsmudge = "${trap}"\n[diff "t"]\n\ttextconv = "${trap}"\n`,
    )
    await mkdir(join(made.root, 'hooks'))
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
      await writeFile(join(made.root, 'hooks', hook), `#!/bin/sh\n${trap}\n`, { mode: 0o755 })
    const files = ['.gitattributes', 'a.txt', 'hooks/']
    expect(await list(made.root)).toEqual(expect.arrayContaining(files))
    expect(await list(made.root)).not.toContain('ran')
  })

  it('leaves out what is no file, what cannot be written in a message, and what nobody may read', async () => {
    await using made = await folder({
      'a\nb.txt': '',
      'a\u2028b.txt': '',
      'a\u001b[2J.txt': '',
      'c\u202Etxt.exe': '',
      'd/x': '',
    })
    await run('mkfifo', [join(made.root, 'pipe')])
    await run('mkfifo', [join(made.root, 'd/.gitignore')])
    await writeFile(Buffer.concat([Buffer.from(join(made.root, 'bytes-')), Buffer.from([0xff, 0xfe])]), '')
    await mkdir(join(made.root, 'closed'))
    await chmod(join(made.root, 'closed'), 0)
    expect(await list(made.root)).toEqual(['closed/', 'c\u202Etxt.exe', 'd/', 'd/x'])
  })

  it('[I10] are bounded in number, and say so; a listing that is called off has what was found', async () => {
    const deep = 'd/'.repeat(100)
    await using made = await folder({ [`${deep}x`]: '', 'a/one': '', 'b/two': '' })
    const found = await list(made.root)
    expect(found).toEqual(expect.arrayContaining(['a/one', 'b/two']))
    expect(found.some((path) => path.split('/').length > 66)).toBe(false)
    const off = await listFolderFiles(made.root, { signal: AbortSignal.abort() })
    expect(off).toEqual({ paths: [], isPartial: true })
    if (!LONG) return
    await using many = await folder({})
    await run('sh', ['-c', 'seq -f "f%.0f" 50100 | xargs touch'], { cwd: many.root })
    const all = await listFolderFiles(many.root, { signal: never })
    expect([all.paths.length, all.isPartial]).toEqual([50_000, true])
  })

  it('are those that git lists, whatever is in its .gitignore', async () => {
    const random = seededRandom(Number(process.env.HOLDPOINT_SEED ?? 11))
    const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value
    const names = ['a', 'b', 'ab', 'abc', 'a.b', '.a', 'b]', 'c d']
    const parts = ['a', 'b', '*', '**', 'a*', '*b', '?', '[ab]', '[!a]', '*.b', '.*', 'a?c', '[]b]', 'c\\ d', 'a**b']
    const line = () => {
      const path = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(parts)).join('/')
      return `${pick(['', '', '!'])}${pick(['', '', '/'])}${path}${pick(['', '', '/'])}`
    }
    for (let round = 0; round < (LONG ? 300 : 25); round++) {
      const files: Record<string, string> = {}
      const path = () => Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(names)).join('/')
      for (let file = 0; file < 14; file++) {
        const made = path()
        const clashes = Object.keys(files).some(
          (other) => `${other}/`.startsWith(`${made}/`) || `${made}/`.startsWith(`${other}/`),
        )
        if (!clashes) files[made] = ''
      }
      const rules = () => Array.from({ length: 1 + Math.floor(random() * 4) }, line).join('\n')
      files['.gitignore'] = rules()
      const below = Object.keys(files).find((file) => file.includes('/'))
      if (below) files[`${dirname(below)}/.gitignore`] = rules()
      await using made = await folder(files)
      const env = { PATH: process.env.PATH, HOME: made.root, GIT_CONFIG_NOSYSTEM: '1' }
      await run('git', ['init', '--quiet'], { cwd: made.root, env })
      const { stdout } = await run('git', ['ls-files', '-z', '--others', '--exclude-standard'], { cwd: made.root, env })
      const expected = stdout.split('\0').filter(Boolean).sort()
      const found = (await list(made.root)).filter((file) => !file.endsWith('/'))
      expect(found, JSON.stringify(files)).toEqual(expected)
    }
  })
})
