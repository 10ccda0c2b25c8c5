import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { logLine } from './hook-log.ts'

let folder: string
const path = () => join(folder, 'hook.log')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hp-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('[T54] writes lines that nobody else can read', () => {
  logLine(folder, 'first')
  logLine(folder, 'second\nand more')
  expect(readFileSync(path(), 'utf8')).toMatch(/^\S+Z first\n\S+Z second and more\n$/)
  expect(statSync(path()).mode & 0o777).toBe(0o600)
})

it('[I10] starts over before it has 256 KB', () => {
  writeFileSync(path(), 'x'.repeat(256 * 1024 - 40))
  logLine(folder, 'a line that does not fit any more')
  expect(readFileSync(path(), 'utf8')).toMatch(/^\S+Z a line that does not fit any more\n$/)
})

it('is no trouble where nothing can be written', () => {
  expect(() => logLine(join(folder, 'missing'), 'words')).not.toThrow()
})
