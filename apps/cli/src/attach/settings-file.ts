import { randomBytes } from 'node:crypto'
import {
  accessSync,
  type BigIntStats,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { CliError, EXIT } from '../console/cli-error.ts'
import { isJson } from './json-text.ts'

/** A settings file as it was read. */
export interface SettingsFile {
  /** As a person knows it. */
  readonly path: string
  /** The file itself, behind whatever links to it. */
  readonly target: string
  /** Undefined when there is no file. */
  readonly bytes: Buffer | undefined
  readonly text: string | undefined
  /** A byte order mark, if the file begins with one. */
  readonly mark: string
}

const MARK = '\uFEFF'
const MAX_LINKS = 20

/** The user's settings, or those that the user keeps for one project. */
export function settingsPath(project: string | undefined): string {
  if (project === undefined)
    return join(resolve(process.env.CLAUDE_CONFIG_DIR || join(homedir(), '.claude')), 'settings.json')
  const folder = resolve(project)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CliError(`There is no folder ${folder}. Name the project folder with --project.`, EXIT.usage)
  }
  return join(folder, '.claude', 'settings.local.json')
}

/** Reads a settings file, or refuses one that cannot be changed without harm. */
export function readSettings(path: string): SettingsFile {
  const target = followLinks(path)
  const bytes = readIfThere(target)
  if (bytes === undefined) return { path, target, bytes, text: undefined, mark: '' }
  const whole = decode(bytes)
  const mark = whole?.startsWith(MARK) ? MARK : ''
  const text = whole?.slice(mark.length)
  if (text === undefined || !isJson(text)) {
    throw new CliError(
      `${path} is not valid JSON, so it was not changed. Fix it first: Claude Code ignores it in this state ("claude doctor" shows where).`,
    )
  }
  return { path, target, bytes, text, mark }
}

/** Puts another text in the place of the one that was read, at once and whole; undefined removes the file. */
export function writeSettings(file: SettingsFile, text: string | undefined): void {
  if (!isSame(readIfThere(file.target), file.bytes)) {
    throw new CliError(`Another program changed ${file.path} in the meantime. Nothing was written. Run this again.`)
  }
  try {
    if (text === undefined) rmSync(file.target, { force: true })
    else replace(file.target, file.mark + text)
  } catch (error) {
    throw new CliError(
      `${file.path} cannot be written (${(error as NodeJS.ErrnoException).code}). Nothing was changed.`,
    )
  }
}

/** Keeps the file as it was before the first change. Replaces a copy from an earlier attach. */
export function backUp(file: SettingsFile, { isFirst }: { isFirst: boolean }): void {
  const copy = backupPath(file.path)
  try {
    // Never through a link that somebody has put there.
    if (isFirst) rmSync(copy, { force: true })
    if (file.bytes !== undefined) writeFileSync(copy, file.bytes, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && !isFirst) return
    throw new CliError(`${file.path} was not changed: no backup copy could be written next to it (${code}).`)
  }
}

/** Drops the copy once it says nothing that the file does not. */
export function dropBackup(path: string): void {
  const kept = readIfThere(backupPath(path))
  if (kept && isSame(kept, readIfThere(followLinks(path)))) rmSync(backupPath(path), { force: true })
}

export function backupPath(path: string): string {
  return `${path}.before-holdpoint`
}

function replace(target: string, text: string): void {
  const before = statSync(target, { throwIfNoEntry: false, bigint: true })
  // A new file could take the place of one that its owner does not want written to.
  if (before) accessSync(target, constants.W_OK)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const aside = `${target}.${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    writeAside(aside, text, before)
    renameSync(aside, target)
  } finally {
    rmSync(aside, { force: true })
  }
}

function writeAside(path: string, text: string, before: BigIntStats | undefined): void {
  const handle = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(handle, text)
    if (before) {
      fchmodSync(handle, Number(before.mode & 0o7777n))
      keepOwner(path, before)
    }
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Somebody with all rights may attach for another user. */
function keepOwner(path: string, { uid, gid }: BigIntStats): void {
  const now = statSync(path, { bigint: true })
  if (now.uid !== uid || now.gid !== gid) chownSync(path, Number(uid), Number(gid))
}

/** Where a link leads, also when nothing is there yet. */
function followLinks(path: string): string {
  let target = path
  for (let links = 0; links < MAX_LINKS; links++) {
    try {
      return realpathSync(target)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') throw new CliError(`${path} cannot be read (${code}).`)
    }
    try {
      target = resolve(dirname(target), readlinkSync(target))
    } catch {
      return target
    }
  }
  throw new CliError(`${path} is a symbolic link that leads nowhere.`)
}

function readIfThere(path: string): Buffer | undefined {
  try {
    // A pipe or a device would be read for ever.
    if (statSync(path).isFile()) return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new CliError(`${path} cannot be read (${code}).`)
  }
  throw new CliError(`${path} is not a regular file, so it was not changed.`)
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other)
}
