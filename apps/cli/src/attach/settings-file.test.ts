import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { backUp, backupPath, dropBackup, readSettings, writeSettings } from './settings-file.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hp-settings-'))
  path = join(folder, 'settings.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  ['nothing', ''],
  ['a comment', '// mine\n{}'],
  ['a comma too many', '{"a":1,}'],
  ['half of it', '{"a":'],
  ['two values', '{}{}'],
  ['bytes that are no text', Buffer.from([0x7b, 0xff, 0x7d])],
  ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le')],
])('refuses %s', (_name, content) => {
  writeFileSync(path, content)
  expect(() => readSettings(path)).toThrow(`${path} is not valid JSON, so it was not changed.`)
})

it('keeps mode and byte order mark, and leaves nothing beside the file', () => {
  writeFileSync(path, '\uFEFF{}')
  chmodSync(path, 0o640)
  writeSettings(readSettings(path), '{"a":1}')
  expect(readFileSync(path, 'utf8')).toBe('\uFEFF{"a":1}')
  expect(statSync(path).mode & 0o777).toBe(0o640)
  expect(readdirSync(folder)).toEqual(['settings.json'])
})

it('makes a file that nobody else can read, and the folder for it', () => {
  const deep = join(folder, 'a', '.claude', 'settings.json')
  writeSettings(readSettings(deep), '{}')
  expect(statSync(deep).mode & 0o777).toBe(0o600)
})

it.each(['there', 'not there yet'])('follows links to a file that is %s', (state) => {
  mkdirSync(join(folder, 'dotfiles'))
  const target = join(folder, 'dotfiles', 'claude.json')
  if (state === 'there') writeFileSync(target, '{}')
  symlinkSync('dotfiles/link.json', path)
  symlinkSync('claude.json', join(folder, 'dotfiles', 'link.json'))
  const file = readSettings(path)
  expect(file.text).toBe(state === 'there' ? '{}' : undefined)
  backUp(file, { isFirst: true })
  writeSettings(file, '{"a":1}')
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
  expect(lstatSync(target).isFile()).toBe(true)
  expect(readFileSync(target, 'utf8')).toBe('{"a":1}')
  expect(existsSync(backupPath(path))).toBe(state === 'there')
  writeSettings(readSettings(path), undefined)
  expect(existsSync(target)).toBe(false)
})

it('says so when a link leads nowhere or a folder is in the way', () => {
  symlinkSync('settings.json', path)
  expect(() => readSettings(path)).toThrow(/settings\.json cannot be read \(ELOOP\)/)
  mkdirSync(join(folder, 'other.json'))
  expect(() => readSettings(join(folder, 'other.json'))).toThrow(/is not a regular file, so it was not changed/)
})

it('reads nothing that has no end', () => {
  symlinkSync('/dev/zero', path)
  expect(() => readSettings(path)).toThrow(/is not a regular file, so it was not changed/)
})

it('writes nothing over what somebody else has written since', () => {
  writeFileSync(path, '{}')
  const file = readSettings(path)
  writeFileSync(path, '{"theirs":1}')
  expect(() => writeSettings(file, '{"ours":1}')).toThrow(/^Another program changed /)
  rmSync(path)
  expect(() => writeSettings(file, '{"ours":1}')).toThrow(/^Another program changed /)
  expect(existsSync(path)).toBe(false)
})

it('keeps the first copy, for its owner alone, until it says nothing new', () => {
  writeFileSync(path, '{"first":1}', { mode: 0o644 })
  backUp(readSettings(path), { isFirst: true })
  writeSettings(readSettings(path), '{"second":2}')
  backUp(readSettings(path), { isFirst: false })
  expect(readFileSync(backupPath(path), 'utf8')).toBe('{"first":1}')
  expect(statSync(backupPath(path)).mode & 0o777).toBe(0o600)
  dropBackup(path)
  expect(existsSync(backupPath(path))).toBe(true)
  writeSettings(readSettings(path), '{"first":1}')
  dropBackup(path)
  expect(existsSync(backupPath(path))).toBe(false)
})

it('keeps no copy of an earlier time for one of now, and writes it through no link', () => {
  writeFileSync(path, '{"now":1}')
  writeFileSync(join(folder, 'theirs'), 'theirs')
  symlinkSync('theirs', backupPath(path))
  backUp(readSettings(path), { isFirst: true })
  expect(readFileSync(backupPath(path), 'utf8')).toBe('{"now":1}')
  expect(readFileSync(join(folder, 'theirs'), 'utf8')).toBe('theirs')
})

it('says so when no copy can be kept', () => {
  writeFileSync(path, '{}')
  mkdirSync(backupPath(path))
  expect(() => backUp(readSettings(path), { isFirst: true })).toThrow(
    `${path} was not changed: no backup copy could be written`,
  )
})
