import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeviceId } from '@holdpoint/schema/id'
import { sampleAsk } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it, onTestFinished } from 'vitest'
import { boundFiles } from './bound-files.ts'
import { whatChanged } from './what-changed.ts'

function folder() {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'hp-changed-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function asked(name: string, input: Record<string, unknown>, cwd: string) {
  const { files, filesUnknown } = await boundFiles({ name, input, cwd })
  const bound = { ...(files && { files: [...files] }), ...(filesUnknown !== undefined && { filesUnknown }) }
  return sampleAsk(1, { tool: { name, input }, context: { cwd }, ...bound })
}

const put = (cwd: string, name: string, text: string) => writeFileSync(join(cwd, name), text)

it.each([
  ['Bash', { command: 'cat notes.txt' }],
  ['Bash', { command: 'sh notes.txt' }],
  ['Read', { file_path: 'notes.txt' }],
  ['Write', { file_path: 'notes.txt', content: 'x' }],
])('T22 T62 sees that a link has taken the place of a file that %s was asked for: %o', async (name, input) => {
  const [cwd, other] = [folder(), folder()]
  for (const place of [cwd, other]) put(place, 'notes.txt', 'the same')
  const ask = await asked(name, input, cwd)
  expect(await whatChanged(ask, { kind: 'allow', digest: '' })).toBeUndefined()
  rmSync(join(cwd, 'notes.txt'))
  symlinkSync(join(other, 'notes.txt'), join(cwd, 'notes.txt'))
  expect(await whatChanged(ask, { kind: 'allow', digest: '' })).toContain('It is asked again')
})

it('T22 sees that a file which a word may mean is there now, and names it', async () => {
  const cwd = folder()
  put(cwd, 'run', '')
  const ask = await asked('Bash', { command: './run more' }, cwd)
  expect(await whatChanged(ask, { kind: 'allow', digest: '' })).toBeUndefined()
  put(cwd, 'more', '')
  expect(await whatChanged(ask, { kind: 'allow', digest: '' })).toContain(join(cwd, 'more'))
})

it('T27 does not look at what a program says that it asks for', async () => {
  const cwd = folder()
  const raisedBy: DeviceId = 'dev_1'
  const ask = { ...sampleAsk(1, { tool: { name: 'Bash', input: { command: 'sh x.sh' } }, context: { cwd } }), raisedBy }
  put(cwd, 'x.sh', '')
  expect(await whatChanged(ask, { kind: 'allow', digest: '' })).toBeUndefined()
})
