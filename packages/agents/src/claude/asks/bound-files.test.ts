import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { boundFiles } from './bound-files.ts'

function project() {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'hp-bound-')))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const put = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  return { cwd, put, bound: (command: string) => boundFiles({ name: 'Bash', input: { command }, cwd }) }
}

it('T22 binds the settings of a package manager, there or not', async () => {
  const { cwd, put, bound } = project()
  put('package.json', '{}')
  const before = await bound('npm test')
  expect(before.filesUnknown).toBeUndefined()
  expect(before.files).toContainEqual({ path: join(cwd, '.npmrc'), use: 'runs', sha256: null })
  put('.npmrc', 'script-shell=./other.sh')
  expect((await bound('npm test')).files).not.toEqual(before.files)
})

it('T22 knows no file that is another one to every process', async () => {
  const { cwd, put, bound } = project()
  put('build.sh', 'true')
  symlinkSync('/proc/self/cwd', join(cwd, 'here'))
  expect((await bound('sh build.sh')).filesUnknown).toBeUndefined()
  expect((await bound('sh here/build.sh')).filesUnknown).toContain('not a fixed place')
})

it('T22 says of a line that is more than a simple call that files may be missing, and names what it can', async () => {
  const { cwd, put, bound } = project()
  put('build.sh', 'true')
  expect(await bound('cd . && sh build.sh')).toMatchObject({
    files: [{ path: join(cwd, 'build.sh') }],
    filesUnknown: expect.stringContaining('more than a simple call'),
  })
})

it('T22 binds every file that a word of a call names which runs one', async () => {
  const { cwd, put, bound } = project()
  for (const name of ['run', 'a.js', 'b.conf']) put(name, name)
  const { files, filesUnknown } = await bound('./run a.js --with=b.conf none.js')
  expect(filesUnknown).toBeUndefined()
  expect(files?.map(({ path }) => path)).toEqual(['run', 'a.js', 'b.conf'].map((name) => join(cwd, name)))
})

it('T22 binds the settings of a package manager in every folder above', async () => {
  const { cwd } = project()
  const deep = join(cwd, ...Array.from({ length: 15 }, (_, n) => `f${n}`))
  mkdirSync(deep, { recursive: true })
  writeFileSync(join(deep, 'package.json'), '{}')
  const { files } = await boundFiles({ name: 'Bash', input: { command: 'npm test' }, cwd: deep })
  expect(files?.map(({ path }) => path)).toEqual(expect.arrayContaining([join(cwd, '.npmrc'), '/.npmrc']))
})

it.each(['cat notes.txt', 'rm -rf build', './run', 'cat sub/x', 'ls build/none', './run a=b=notes.txt', 'touch gone'])(
  'T61 T62 is not certain of a call that goes through a link: %s',
  async (command) => {
    const { cwd, put, bound } = project()
    for (const name of ['notes.txt', 'run']) put(name, name)
    for (const name of ['build', 'sub']) mkdirSync(join(cwd, name))
    expect((await bound(command)).filesUnknown ?? '').not.toContain('link')
    const other = project()
    other.put('x', 'x')
    for (const name of ['notes.txt', 'run', 'build', 'sub']) {
      rmSync(join(cwd, name), { recursive: true })
      symlinkSync(name === 'run' ? join(other.cwd, 'x') : other.cwd, join(cwd, name))
    }
    symlinkSync(join(other.cwd, 'none'), join(cwd, 'gone'))
    expect((await bound(command)).filesUnknown).toMatch(new RegExp(`goes through a link, to .*${other.cwd}`))
  },
)

it.each([
  ['Read', 'file_path'],
  ['Glob', 'path'],
  ['Grep', 'path'],
])('T61 T62 says of %s where it reads, if a link leads there', async (name, field) => {
  const { cwd, put } = project()
  const other = project()
  put('plain', 'text')
  symlinkSync(other.cwd, join(cwd, 'link'))
  const unknown = async (path: string) => (await boundFiles({ name, input: { [field]: path }, cwd })).filesUnknown
  expect(await unknown(join(cwd, 'plain'))).toBeUndefined()
  expect(await unknown('none')).toBeUndefined()
  expect(await unknown('link')).toBe(`link goes through a link: this reads ${other.cwd}.`)
  expect(await unknown(join(cwd, 'link/x'))).toContain(`this reads ${other.cwd}/x.`)
})

it('T61 is not certain of a call that writes into a file what it prints', async () => {
  const { put, bound } = project()
  put('draft.txt', 'text')
  expect((await bound('cat draft.txt')).filesUnknown).toBeUndefined()
  expect((await bound('cat draft.txt > out.txt')).filesUnknown).toContain('more than a simple call')
})

it.each(['Write', 'Edit', 'NotebookEdit'])(
  'T62 T63 does not say what %s would do in a place that is another one to the agent',
  async (name) => {
    const { cwd } = project()
    symlinkSync('/proc/self/cwd', join(cwd, 'here'))
    const path = join(cwd, 'here/package.json')
    const input = { file_path: path, notebook_path: path, content: 'x', old_string: 'holdpoint', new_string: 'x' }
    expect(await boundFiles({ name, input, cwd })).toEqual({
      context: { diffOmitted: 'the location of the file cannot be determined' },
      filesUnknown: expect.stringContaining('cannot be determined'),
    })
  },
)

it.each([
  ['.npmrc', 'workspaces=true'],
  ['.npmrc', 'registry=https://example.com\nuserconfig=./u.rc'],
  ['package.json', '{"workspaces":["a"]}'],
])('T22 is not certain what npm runs where %s says %s', async (name, text) => {
  const { put, bound } = project()
  put('package.json', '{}')
  put('.npmrc', '; ours\nregistry=https://example.com\n')
  expect((await bound('npm test')).filesUnknown).toBeUndefined()
  put(name, text)
  expect((await bound('npm test')).filesUnknown).toContain('npm may run more')
})

it('T62 names every link, and tells long lists of them apart', async () => {
  const { cwd, bound } = project()
  const names = Array.from({ length: 40 }, (_, n) => `l${n}`)
  for (const name of names) symlinkSync('/etc/hostname', join(cwd, name))
  const all = async () => (await bound(`cat ${names.join(' ')}`)).filesUnknown ?? ''
  const before = await all()
  expect(before).toContain(`${join(cwd, 'l1')} goes through a link, to /etc/hostname.`)
  expect(before.length).toBeLessThanOrEqual(1024)
  rmSync(join(cwd, 'l39'))
  symlinkSync('/etc/passwd', join(cwd, 'l39'))
  expect(await all()).not.toBe(before)
})

it('T22 is not certain what npm runs where a package is in a folder above', async () => {
  const { cwd, put } = project()
  const sub = join(cwd, 'sub')
  mkdirSync(sub)
  const unknown = async () =>
    (await boundFiles({ name: 'Bash', input: { command: 'npm test' }, cwd: sub })).filesUnknown
  writeFileSync(join(sub, 'package.json'), '{}')
  expect(await unknown()).toBeUndefined()
  put('package.json', '{"workspaces":["sub","other"]}')
  expect(await unknown()).toContain('a package in a parent folder')
})

it('T22 binds the script of a workflow, which hooks are told by its path alone', async () => {
  const { cwd, put } = project()
  const bound = (input: object) => boundFiles({ name: 'Workflow', input: { ...input }, cwd })
  put('flow.js', 'one')
  const before = await bound({ scriptPath: 'flow.js' })
  expect(before).toMatchObject({ files: [{ path: join(cwd, 'flow.js'), use: 'runs' }] })
  expect(before.filesUnknown).toBeUndefined()
  put('flow.js', 'other')
  expect((await bound({ scriptPath: 'flow.js' })).files).not.toEqual(before.files)
  symlinkSync('flow.js', join(cwd, 'link.js'))
  expect((await bound({ scriptPath: 'link.js' })).filesUnknown).toContain('goes through a link')
  expect((await bound({ name: 'release' })).filesUnknown).toContain('does not know which script')
  expect(await bound({ script: 'agent()', scriptPath: 'flow.js' })).toMatchObject({ files: [] })
})
