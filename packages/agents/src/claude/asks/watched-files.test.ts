import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mayChangeWatched, type WatchedFiles } from './watched-files.ts'

let folder: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'hp-watched-')))
  await mkdir(join(folder, 'scripts'))
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'scripts', 'check.sh'), 'true\n')
  await writeFile(join(folder, 'shared.sh'), 'true\n')
  await symlink('../shared.sh', join(folder, 'scripts', 'linked.sh'))
  await symlink('scripts', join(folder, 'tools'))
  await symlink('../scripts/check.sh', join(folder, 'src', 'it'))
  await mkdir(join(folder, 'around', 'all'), { recursive: true })
  await symlink('../../scripts/check.sh', join(folder, 'around', 'all', 'it'))
  await mkdir(join(folder, 'scripts', 'inner'))
  await symlink('../scripts/inner', join(folder, 'src', 'inner'))
  await mkdir(join(folder, 'parts', 'deep'), { recursive: true })
  await symlink('../scripts', join(folder, 'parts', 'deep', 'soon'))
  await writeFile(join(folder, 'parts', 'a.ts'), '')
  await writeFile(join(folder, 'parts', 'b.ts'), '')
})
afterAll(() => rm(folder, { recursive: true }))

function changes(
  name: string,
  input: Record<string, unknown>,
  cwd = folder,
  more: Partial<WatchedFiles> = {},
): Promise<boolean> {
  const paths = ['scripts/check.sh', 'scripts/linked.sh', '.claude/settings.json'].map((path) => join(folder, path))
  return mayChangeWatched({ areUnchanged: true, paths, folders: [], names: [], ...more }, { name, input, cwd })
}

describe('T34 a call that may change what a folder was trusted for', () => {
  it.each([
    'scripts/check.sh',
    'scripts/Check.sh',
    'scripts/../scripts/check.sh',
    'tools/check.sh',
    'src/it',
    'shared.sh',
    'src/.claude/skills/x/SKILL.md',
    '.mcp.json',
    '~/x',
  ])('is an edit of %s', async (path) => {
    expect(await changes('Write', { file_path: path, content: '' })).toBe(true)
    expect(await changes('Edit', { file_path: join(folder, path), old_string: 'a', new_string: 'b' })).toBe(true)
    expect(await changes('NotebookEdit', { notebook_path: path })).toBe(true)
  })

  it.each([
    'cp src/evil.sh scripts/check.sh',
    'cp src/evil.sh scripts',
    'cp -t scripts src/check.sh',
    'cp -Rtscripts src/check.sh',
    'cp --target-directory=scripts src/check.sh',
    'cp src/* .',
    'mv scripts old',
    'mv src/a tools',
    'rm -rf scripts',
    'rm scripts/*.sh',
    'rm *.sh',
    'touch "$FILE"',
    'touch ~/x',
    'cd scripts && touch check.sh',
    'cd "$D" && touch check.sh',
    'sed -i s/true/false/ scripts/check.sh',
    'sed -i -e s/true/false/ scripts/check.sh',
    'sed -es/a/b/ -i scripts/check.sh',
    'sed -n -i p shared.sh',
    'mkdir -p .claude/hooks',
    'echo true > scripts/check.sh',
    'ls >> tools/check.sh',
    'cat < src/x 2> scripts/check.sh',
    '{ echo a; echo b; } > scripts/check.sh',
    'echo a > "$FILE"',
    '> scripts/check.sh',
    'for f in a; do touch scripts/check.sh; done',
    '/bin/cp a scripts/check.sh',
    'ls && (cd scripts; rm check.sh)',
  ])('is %s', async (command) => {
    expect(await changes('Bash', { command })).toBe(true)
  })

  it.each([
    'timeout 5 cp free.txt scripts/check.sh',
    'timeout 5 cp -tscripts src/check.sh',
    'timeout 5 nice cp free.txt scripts/check.sh',
    'nice -n 5 cp free.txt scripts/check.sh',
    'nohup rm -r scripts',
    'time mv free.txt scripts/check.sh',
    'stdbuf -o0 cp free.txt scripts/check.sh',
    'command cp free.txt scripts/check.sh',
    'noglob cp free.txt scripts/check.sh',
    'LANG=C timeout 5 cp free.txt scripts/check.sh',
    'timeout 5 sed -i s/true/false/ scripts/check.sh',
    'true && timeout 5 touch scripts/check.sh',
    'timeout 5 mkdir -p .claude/skills/x',
    'timeout 5 /bin/cp free.txt .mcp.json',
    'timeout 5 $PROGRAM',
    'ls scripts/check.sh | xargs rm',
    'echo scripts/check.sh | timeout 5 xargs cp free.txt',
    "sed -n 'w scripts/check.sh' src/x.ts",
    "sed -i 's/a/b/w scripts/check.sh' src/x.ts",
    'find scripts -exec rm {} +',
  ])('is %s, behind another program', async (command) => {
    expect(await changes('Bash', { command })).toBe(true)
  })

  it.each([
    'mv parts/deep q && cp free.txt q/soon/check.sh',
    'mv parts/deep q; sed -i s/true/x/ q/soon/check.sh',
    'mv parts/deep q && echo x > q/soon/check.sh',
    'mv parts/deep/soon parts/soon && cp free.txt parts/soon/check.sh',
    'mv parts/deep/* parts && cp free.txt parts/soon/check.sh',
    'mkdir q && mv parts/deep/soon q/ && cp free.txt q/soon/check.sh',
    'cp -r parts/deep q && cp free.txt q/soon/check.sh',
    'cp -a parts/deep/soon parts && cp free.txt parts/soon/check.sh',
    'cp -at parts parts/deep/soon && cp free.txt parts/soon/check.sh',
    'timeout 5 mv parts/deep q && cp free.txt q/soon/check.sh',
    'cd parts && mv deep ../q && cp a.ts ../q/soon/check.sh',
    'ln -s scripts q && cp free.txt q/check.sh',
    'mv -f parts/a.ts src && touch src/new.ts',
  ])('is %s, which may write through a link that it has brought there', async (command) => {
    expect(await changes('Bash', { command })).toBe(true)
  })

  it.each([
    'cp free.txt parts/deep/soon/../scripts/check.sh',
    'cp free.txt src/inner/../check.sh',
    'cd src/inner && cp ../../free.txt ../check.sh',
    'cd src && cp ../free.txt inner/../check.sh',
  ])('is %s: behind a link, .. leads elsewhere than its words say', async (command) => {
    expect(await changes('Bash', { command })).toBe(true)
  })

  it.each([
    'cp parts/it src',
    'cp parts/it src/',
    'cp parts/a.ts parts/it src',
    'timeout 5 cp parts/it src',
    'cp -t src parts/it',
    'cd src && cp ../parts/it .',
    'cp -r parts/all around',
    'cp -R parts/. around/all',
  ])('is %s: a link in the folder leads to such a file, and cp writes through it', async (command) => {
    expect(await changes('Bash', { command })).toBe(true)
  })

  it('is a copy into a folder with more files than can be looked at', async () => {
    await mkdir(join(folder, 'many'))
    await Promise.all(Array.from({ length: 2001 }, (_, n) => writeFile(join(folder, 'many', `${n}`), '')))
    expect(await changes('Bash', { command: 'cp -r parts/a.ts many' })).toBe(true)
  })

  it('is a second name for such a file, through which it could be written later', async () => {
    expect(await changes('Bash', { command: 'ln scripts/check.sh src/other' })).toBe(true)
  })

  it.each([
    'mkdir a && touch a/b',
    'mkdir -p src/parts && mv parts/a.ts parts/b.ts src/parts/',
    'mv parts/a.ts src/a.ts && sed -i s/a/b/ src/a.ts',
    'cp parts/a.ts around && rm parts/a.ts',
    'mv parts/deep q && ls q',
  ])('is not %s, which brings no link, or writes nothing else', async (command) => {
    expect(await changes('Bash', { command })).toBe(false)
  })

  it('is seen from the folder of the call', async () => {
    expect(await changes('Bash', { command: 'touch check.sh' }, join(folder, 'scripts'))).toBe(true)
    expect(await changes('Bash', { command: 'touch check.sh' })).toBe(false)
    expect(await changes('Bash', { command: 'touch ../scripts/check.sh' }, join(folder, 'src'))).toBe(true)
  })

  it.each([
    'ls scripts',
    'cat scripts/check.sh',
    'sh scripts/check.sh',
    'sed -n 1,20p scripts/check.sh',
    "sed -i 's/a\\/b/c/g' src/x.ts",
    'mkdir -p src/parts',
    'rm -rf src/old dist',
    'cp src/a.ts src/b.ts',
    'echo x > src/notes.txt',
    'ls 2>/dev/null',
    'npm test 2>&1',
    'timeout 5 cp src/a.ts src/b.ts',
    'timeout 5 cat scripts/check.sh',
    'echo cp scripts/check.sh',
    'grep rm scripts/check.sh',
    'cat "$FILE"',
    'cp src/a.ts src/../parts/a.ts',
    'cp parts/a.ts around',
    'cp -r parts parts.old',
    'mv parts/it src',
    'cd src && touch ../parts/c.ts',
    'mkdir -p out/x && touch out/x/../y',
  ])('is not %s', async (command) => {
    expect(await changes('Bash', { command })).toBe(false)
  })

  it.each([
    ['scripts/lib.sh', 'cp free.txt scripts/lib.sh'],
    ['scripts/inner/lib.sh', 'mv parts/a.ts scripts/inner'],
    ['tools/lib.sh', 'echo x > tools/new'],
    ['src/inner/lib.sh', 'touch src/inner/x'],
  ])('is a change of what stands beside a hook’s script: %s, %s', async (path, command) => {
    const more = { folders: [join(folder, 'scripts')] }
    expect(await changes('Write', { file_path: path, content: '' }, folder, more)).toBe(true)
    expect(await changes('Bash', { command }, folder, more)).toBe(true)
    for (const other of ['src/lib.sh', 'scripts.txt'])
      expect(await changes('Write', { file_path: other, content: '' }, folder, more), other).toBe(false)
  })

  it.each([
    ['src/scripts/pre.sh', 'cp parts/a.ts src/pre.sh'],
    ['src/Pre.sh', 'mkdir -p src/pre.sh'],
    ['src/pre.sh/index.js', 'mv src/pre.sh parts'],
    ['src/pre.sh.js', 'cd src && echo x > pre.sh'],
    ['pre.sh', 'sed -i.sh s/a/b/ src/pre'],
    ['src/pre.sh', 'cp -b --suffix=.sh parts/a.ts src/pre'],
  ])('is a file that would run in place of a hook with a relative path: %s, %s', async (path, command) => {
    const more = { names: ['pre.sh'] }
    expect(await changes('Write', { file_path: path, content: '' }, folder, more)).toBe(true)
    expect(await changes('Bash', { command }, folder, more)).toBe(true)
    for (const other of ['src/pre.ts', 'src/xpre.sh', 'src/pre.sh/deep/x.ts'])
      expect(await changes('Write', { file_path: other, content: '' }, folder, more), other).toBe(false)
  })

  it('is a skill with arguments: its text may put them into a command that no hook sees', async () => {
    expect(await changes('Skill', { skill: 'copy', args: 'free.txt scripts/check.sh' })).toBe(true)
    expect(await changes('Skill', { skill: 'copy', args: { 0: 'x' } })).toBe(true)
    expect(await changes('Skill', { skill: 'copy', args: '' })).toBe(false)
    expect(await changes('Skill', { skill: 'copy' })).toBe(false)
  })

  it('is not an edit of another file, or a call of another tool', async () => {
    expect(await changes('Write', { file_path: 'src/a.ts', content: '' })).toBe(false)
    expect(await changes('Read', { file_path: 'scripts/check.sh' })).toBe(false)
    expect(await changes('Glob', { path: 'scripts' })).toBe(false)
  })
})
