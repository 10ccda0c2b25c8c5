import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'

export interface SettingsFile {
  /** Relative to the folder. */
  readonly path: string
  readonly sha256: string
}

/** Files that Claude Code reads settings and MCP servers from. What they name is part of what acts, too. */
const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json', '.mcp.json']
/** Folders whose files can bring hooks and commands of their own. */
const FOLDERS = ['.claude/hooks', '.claude/agents', '.claude/commands', '.claude/skills']
const SCRIPT = /\.(?:sh|bash|zsh|fish|[cm]?[jt]sx?|py|rb|pl|php|lua|ps1|cmd|bat|jar|wasm)$/i
const MAX_FILES = 1000
const SHOWN_BYTES = 64 * 1024

/** What a folder says for itself is too much to be looked at, or cannot be read. */
export class FolderSettingsError extends Error {
  override readonly name = 'FolderSettingsError'
}

/**
 * The files of a folder that act by themselves where it is trusted: its settings, hooks and MCP servers, and the
 * programs of the folder that those name. What such a program loads in its turn is not among them.
 */
export async function folderSettings(folder: string): Promise<SettingsFile[]> {
  const paths = new Set<string>()
  for (const path of SETTINGS) {
    const text = await readFile(join(folder, path), 'utf8').catch(ifMissing)
    if (text === undefined) continue
    paths.add(path)
    for (const named of await namedIn(text, folder)) paths.add(named)
  }
  for (const path of FOLDERS) for (const file of await filesUnder(folder, path)) paths.add(file)
  if (paths.size > MAX_FILES) throw new FolderSettingsError(`.claude has more than ${MAX_FILES} files that can act`)
  const files = [...paths].sort().map(async (path) => ({ path, sha256: await hashOf(join(folder, path)) }))
  return Promise.all(files)
}

/** Undefined for what is no text, or too long to be read by a person. */
export async function shownText(folder: string, path: string): Promise<string | undefined> {
  const file = join(folder, path)
  if ((await stat(file)).size > SHOWN_BYTES) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch {
    return undefined
  }
}

async function filesUnder(folder: string, path: string): Promise<string[]> {
  const entries = await readdir(join(folder, path), { recursive: true, withFileTypes: true }).catch(ifMissing)
  const found: string[] = []
  for (const entry of entries ?? []) {
    const file = join(entry.parentPath, entry.name)
    // A link is looked at as what it leads to; one to a folder is not followed, and counts by its own place.
    if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(file)))) found.push(relative(folder, file))
  }
  return found
}

/** Programs of the folder that a command names, wherever in the settings it stands. Rules run nothing. */
async function namedIn(text: string, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const word of new Set(wordsOf(parsed(text)))) {
    const file = resolve(folder, word.replace(/\$\{?CLAUDE_PROJECT_DIR\}?/g, folder))
    const path = relative(folder, file)
    const isInside = path !== '' && !isAbsolute(path) && path !== '..' && !path.startsWith(`..${sep}`)
    if (isInside && (await isProgram(file))) found.push(path)
  }
  return found
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return words(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) => (key === 'permissions' ? [] : wordsOf(field)))
}

/** As a shell splits them, and quoted parts as they are, for there may be blanks in a path. */
function words(command: string): string[] {
  const quoted = [...command.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, double, single]) => double ?? single ?? '')
  return [...command.replace(/["'`]/g, '').split(/[\s;|&()<>=,]+/), ...quoted].filter((word) => word !== '')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isFile(),
    () => false,
  )
}

/** What a command writes to is none: trust would end with the first line of a log. */
async function isProgram(path: string): Promise<boolean> {
  const entry = await stat(path).catch(() => undefined)
  return entry?.isFile() === true && ((entry.mode & 0o111) !== 0 || SCRIPT.test(path))
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  // Where it leads is part of it: another file may have been put in its place.
  hash.update(`${await realpath(path)}\n`)
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
