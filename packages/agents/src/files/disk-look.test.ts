import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MISSING } from '@holdpoint/core/disk-look'
import { expect, it, onTestFinished } from 'vitest'
import { diskLook } from './disk-look.ts'

it('looks at a path once, and a new look sees what has changed since', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-look-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'src')
  mkdirSync(path)
  const first = diskLook()
  expect(await first.realPath(path)).toBe(path)
  renameSync(path, join(folder, 'moved'))
  symlinkSync('moved', path)
  expect([await first.realPath(path), await first.isLink(path)]).toEqual([path, false])
  const second = diskLook()
  expect([await second.realPath(path), await second.isLink(path)]).toEqual([join(folder, 'moved'), true])
})

it('tells what is missing from what cannot be told', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hp-look-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync('round', join(folder, 'round'))
  const look = diskLook()
  expect(await look.realPath(join(folder, 'none/deeper'))).toBe(MISSING)
  expect(await look.isLink(join(folder, 'none'))).toBe(MISSING)
  expect(await look.realPath(join(folder, 'round'))).toBeUndefined()
  expect(await look.isLink(`${folder}/a\0b`)).toBeUndefined()
})
