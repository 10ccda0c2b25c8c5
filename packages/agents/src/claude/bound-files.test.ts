import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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
