import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import { temporaryFolder } from './fixtures/temporary-folder.ts'
import { keepNodeId, readNodeId } from './node-id.ts'

const id = (letter: string) => `nod_${letter.repeat(26)}` as NodeId

it('stays with its folder, for its user alone', async () => {
  const folder = temporaryFolder()
  expect(await readNodeId(folder)).toBeUndefined()
  expect(await keepNodeId(folder, () => id('a'))).toBe(id('a'))
  expect(await keepNodeId(folder, () => id('b'))).toBe(id('a'))
  expect(await readNodeId(folder)).toBe(id('a'))
  expect(statSync(join(folder, 'node-id')).mode & 0o777).toBe(0o600)
})

it('is not made anew where the file was damaged: sessions would lose their machine', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'node-id'), 'nod_')
  await expect(keepNodeId(folder, () => id('a'))).rejects.toThrow('Restore it from a backup')
})
