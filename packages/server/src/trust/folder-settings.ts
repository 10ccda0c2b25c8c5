import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { claudeConfigDir } from '@holdpoint/agents/claude/transcript/project-folder'
import { isFixedPlace } from '@holdpoint/agents/files/fixed-place'
import { leadsTo } from '@holdpoint/agents/files/leads-to'
import { filesRun } from '@holdpoint/core/shell/files-run'
import { FolderSettingsError } from './folder-settings-error.ts'
import {
  type Brought,
  broughtByJson,
  broughtByMarkdown,
  broughtBySettings,
  PLUGIN,
  type SettingsCommand,
  type Unwatched,
} from './settings-commands.ts'
import { settingsPlaces } from './settings-places.ts'
import { watchedScript } from './watched-script.ts'

export interface SettingsFile {
  /** Relative to the folder if it is inside. */
  readonly path: string
  readonly sha256: string
  /** From the same reading as the hash. Left out where it is no text, or too long for a person to read. */
  readonly text?: string
}

export interface FolderSettings {
  readonly files: readonly SettingsFile[]
  readonly unwatched: readonly Unwatched[]
  readonly scripts: SettingsScripts
}

/** What the commands of the settings would run, there or not. */
export interface SettingsScripts {
  /** Absolute. */
  readonly paths: ReadonlySet<string>
  /** Below the session's folder: a hook's script may load what stands beside it. */
  readonly folders: ReadonlySet<string>
  /** Of scripts with a relative path, which run from wherever the agent is. */
  readonly names: ReadonlySet<string>
}

/** Read in the session's own folder alone. */
const OWN_SETTINGS = '.claude/settings.json'
/** Read in folders above, too. */
const SETTINGS = ['.mcp.json', '.claude/settings.local.json']
/** Folders whose files can bring hooks and commands of their own; read in folders above, too. */
const FOLDERS = ['hooks', 'agents', 'commands', 'skills', 'workflows'].map((name) => `.claude/${name}`)
/** Files in those that are read as settings are. */
const SETTINGS_NAMES = /^(plugin|hooks|\.?mcp|\.lsp)\.json$/
const SCRIPT = /\.(?:sh|bash|zsh|fish|[cm]?[jt]sx?|py|rb|pl|php|lua|ps1|cmd|bat|jar|wasm)$/i
const MAX_FILES = 1000
const MAX_ENTRIES = 3000
const MAX_BYTES = 256 * 1024 * 1024
const KEPT_BYTES = 1024 * 1024
/** Characters. */
const SHOWN_LENGTH = 64 * 1024
const MORE_THAN_A_SCRIPT =
  'This is more than a call of one script in this folder. A change in what it runs may go unnoticed.'
const MISSING = 'This script does not exist yet. Whoever creates it decides what runs.'
/** Far enough down that no path with `..` in a command leads out of it. */
const ELSEWHERE = `/${'elsewhere/'.repeat(20)}folder`

/**
 * The files that act by themselves where a folder is trusted: its settings, hooks and MCP servers, those of the folders
 * above that Claude Code reads as well, and the files that their commands run. What such a file loads in its turn is not
 * among them. Each is read once: what is shown of it is what its hash stands for.
 */
export async function folderSettings(given: string): Promise<FolderSettings> {
  const folder = await realpath(given)
  const files = new Map<string, SettingsFile>()
  const brought: Brought[] = []
  const unwatched = new Map<string, Unwatched>()
  const scripts = { paths: new Set<string>(), folders: new Set<string>(), names: new Set<string>() }
  // The user's own act in every folder, trusted or not.
  const users = (await realOf(claudeConfigDir())) ?? claudeConfigDir()
  const left = { entries: MAX_ENTRIES, bytes: MAX_BYTES }

  for (const place of await settingsPlaces(folder)) {
    for (const name of place === folder ? [OWN_SETTINGS, ...SETTINGS] : SETTINGS) {
      const path = join(place, name)
      if (await isThere(path)) await add(path, readerOf(basename(path)))
    }
    const isUsers = place !== folder && (await realOf(join(place, '.claude'))) === users
    if (isUsers) continue
    // Counted before they are read: what is too much is not read at all.
    const paths: string[] = []
    for (const name of FOLDERS) {
      await refuseMoving(join(place, name))
      await list(join(place, name), [], paths)
    }
    for (const path of paths) await add(path, readerOf(basename(path)))
  }
  // Last: a settings file that another one names is read as settings all the same.
  for (const { commands, words, code, unknown } of brought) {
    for (const each of unknown) note(each)
    for (const command of commands) await addCommand(command)
    for (const word of code) await addNamed(word, () => true)
    // What a command writes to is none: trust would end with the first line of a log.
    for (const word of words) await addNamed(word, (entry, path) => (entry.mode & 0o111) !== 0 || SCRIPT.test(path))
  }
  const byPath = (one: SettingsFile, other: SettingsFile) => (one.path < other.path ? -1 : 1)
  return { files: [...files.values()].sort(byPath), unwatched: [...unwatched.values()], scripts }

  /** Links are followed; one that leads back to a folder on the way to it ends there. */
  async function list(path: string, above: readonly string[], paths: string[]) {
    const real = await realOf(path)
    if (real === undefined) return
    if (above.includes(real)) return keep(path, { sha256: hashOf(`link to ${real}`), text: `A link to ${real}` })
    for (const { name, isLink } of await entriesOf(path)) {
      if (--left.entries < 0) throw tooMuch(`more than ${MAX_ENTRIES} entries`)
      const file = join(path, name)
      // It names its files as it likes.
      if (name === '.claude-plugin') note({ what: shown(path), why: PLUGIN })
      if (isLink) await refuseMoving(file)
      const entry = await stat(file).catch(ifMissing)
      if (entry?.isDirectory()) await list(file, [...above, real], paths)
      else if (entry && paths.push(file) > MAX_FILES) throw tooManyFiles()
    }
  }

  async function add(path: string, read?: (text: string, path: string) => Brought) {
    if (files.has(path)) return
    const found = await readOnce(path, left)
    const text = found.text !== undefined && found.text.length <= SHOWN_LENGTH ? { text: found.text } : {}
    keep(path, { sha256: found.sha256, ...text })
    if (!read) return
    if (found.text === undefined) throw tooMuch(`${shown(path)}, which is not text or is too long`)
    brought.push(read(found.text, shown(path)))
  }

  function keep(path: string, file: Omit<SettingsFile, 'path'>) {
    files.set(path, { path: shown(path), ...file })
    if (files.size > MAX_FILES) throw tooManyFiles()
  }

  function note(each: Unwatched) {
    unwatched.set(`${each.what}\n${each.why}`, each)
  }

  async function addCommand(command: SettingsCommand) {
    const { run, by } = command
    const script = watchedScript(command, folder)
    const what = typeof run === 'string' ? run : run.map(written).join(' ')
    if (script === undefined) note({ what, why: MORE_THAN_A_SCRIPT })
    else if (!(await isFileItself(join(folder, script)))) {
      const isMissing = (await stat(join(folder, script)).catch(ifMissing)) === undefined
      note({ what, why: isMissing ? MISSING : MORE_THAN_A_SCRIPT })
    }
    // The rest as far as it can be told. What appears later is found then.
    const line = typeof run === 'string' ? withFolder(run, folder) : lineOf(run, folder)
    const places = filesRun(line, folder).files.concat(script === undefined ? [] : [[join(folder, script)]])
    for (const each of places) {
      const path = await firstThere(each)
      if (path !== undefined) await add(path)
      if (by !== 'server') addFolderOf(path ?? each[0], script !== undefined)
    }
    const here = new Set(places.flat())
    for (const path of here) scripts.paths.add(resolve(path))
    for (const [path] of filesRun(line, ELSEWHERE).files)
      if (path !== undefined && !here.has(path)) scripts.names.add(basename(path))
  }

  function addFolderOf(path: string | undefined, isScript: boolean) {
    if (path === undefined || !(isScript || SCRIPT.test(path))) return
    const around = resolve(dirname(path))
    if (isInside(folder, around)) scripts.folders.add(around)
  }

  async function addNamed(word: string, isCode: (entry: Stats, path: string) => boolean) {
    const path = resolve(
      folder,
      word.replace(/\$\{?CLAUDE_PROJECT_DIR\}?/g, () => folder),
    )
    const entry = isInside(folder, path) ? await stat(path).catch(() => undefined) : undefined
    if (entry?.isFile() && isCode(entry, path)) await add(path)
  }

  function shown(path: string): string {
    // A `..` behind a link leads elsewhere than its words say: two files must not have one name.
    return isInside(folder, path) && !path.includes('/../') ? relative(folder, path) : path
  }
}

/** Only where the text says the same with the folder's name in place of the variable. */
function withFolder(line: string, folder: string): string {
  if (/['\\]|CLAUDE_PROJECT_DIR=/.test(line) || !/^[\w/.@+-]+$/.test(folder)) return line
  const quoted = line.replace(/"\$(CLAUDE_PROJECT_DIR|\{CLAUDE_PROJECT_DIR\})"/g, folder)
  return quoted.replace(/\$(CLAUDE_PROJECT_DIR\b|\{CLAUDE_PROJECT_DIR\})/g, folder)
}

/** What a shell would have to read to run the same. A word that is known only when it runs becomes a variable. */
function lineOf(words: readonly string[], folder: string): string {
  const name = /\$\{CLAUDE_PROJECT_DIR(:-\.)?\}/g
  const line = words.map((word) =>
    word.replace(name, '').includes('${') ? '"$it"' : quoted(word.replace(name, () => folder)),
  )
  return line.join(' ')
}

function written(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : quoted(word)
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function readerOf(name: string) {
  if (extname(name).toLowerCase() === '.md') return broughtByMarkdown
  if (/^settings(\.local)?\.json$/.test(name)) return broughtBySettings
  return SETTINGS_NAMES.test(name) ? broughtByJson : undefined
}

function isInside(folder: string, path: string): boolean {
  const from = relative(folder, path)
  return from !== '' && !isAbsolute(from) && from !== '..' && !from.startsWith(`..${sep}`)
}

async function entriesOf(folder: string): Promise<readonly { name: string; isLink: boolean }[]> {
  const entries = (await readdir(folder, { withFileTypes: true }).catch(ifMissing)) ?? []
  return entries.map((entry) => ({ name: entry.name, isLink: entry.isSymbolicLink() }))
}

/** What is there for us may be something else, or nothing, for the agent, or the other way round. */
async function refuseMoving(path: string): Promise<void> {
  if (await isFixedPlace(path)) return
  throw new FolderSettingsError(`${path} points to a different place in each process`)
}

/** Reached without a link, which could lead to another file. */
async function isFileItself(path: string): Promise<boolean> {
  const entry = await stat(path).catch(() => undefined)
  return entry?.isFile() === true && (await leadsTo(path)) === undefined
}

async function firstThere(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isThere(path)) return path
  return undefined
}

async function isThere(path: string): Promise<boolean> {
  await refuseMoving(path)
  const entry: Stats | undefined = await stat(path).catch(ifMissing)
  return entry !== undefined && !entry.isDirectory()
}

async function realOf(path: string): Promise<string | undefined> {
  return realpath(path).catch(ifMissing)
}

/** Opened without waiting, and looked at when it is open: it may be a pipe, or become one. */
async function readOnce(path: string, left: { bytes: number }): Promise<{ sha256: string; text?: string }> {
  const hash = createHash('sha256')
  // Where it leads is part of it: another file may have been put in its place.
  hash.update(`${await realpath(path)}\n`)
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new FolderSettingsError(`${path} is not a regular file`)
    const kept: Buffer[] = []
    let size = 0
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      left.bytes -= chunk.length
      if (left.bytes < 0) throw tooMuch(`more than ${MAX_BYTES / 1024 / 1024} MiB`)
      hash.update(chunk)
      if (size <= KEPT_BYTES) kept.push(chunk)
    }
    const text = size <= KEPT_BYTES ? asText(Buffer.concat(kept)) : undefined
    return { sha256: hash.digest('hex'), ...(text !== undefined && { text }) }
  } finally {
    await file.close()
  }
}

function asText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function tooManyFiles(): FolderSettingsError {
  return tooMuch(`more than ${MAX_FILES} files with settings or scripts`)
}

function tooMuch(what: string): FolderSettingsError {
  return new FolderSettingsError(`it has ${what}`)
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
