import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type IgnoreLevel, isIgnored, parseIgnoreRules } from './ignore-rules.ts'
import { type Entry, entryOf, isRealFolder, readBelow } from './safe-file.ts'

export interface WalkLimits {
  readonly files: number
  readonly ms: number
}

export interface Walked {
  /** By path below the folder, with `/` between the names. */
  readonly entries: ReadonlyMap<string, Entry>
  /** Folders that were not looked into, because a limit was reached before. */
  readonly unread: readonly string[]
}

/** Never looked into: git's own, and what package managers put there by the thousand. */
const NEVER: ReadonlySet<string> = new Set(['.git', 'node_modules'])
const IGNORE_FILE_LIMIT = 1024 * 1024

interface Folder {
  readonly names: readonly string[]
  readonly levels: readonly IgnoreLevel[]
}

/**
 * What is in a folder, without what its `.gitignore` files leave out. Follows no link, opens nothing but those files, and
 * runs nothing (T67). The folders near the top come first, so a limit leaves out what is deep.
 */
export async function walkFolder(
  root: string,
  options: {
    readonly limits: WalkLimits
    /** Files and folders that are left out besides, by their absolute path. */
    readonly isLeftOut: (path: string) => boolean
    /** Lets others have their turn. */
    readonly pause: () => Promise<void>
  },
): Promise<Walked> {
  const { limits, isLeftOut, pause } = options
  const entries = new Map<string, Entry>()
  const waiting: Folder[] = [{ names: [], levels: [] }]
  const end = performance.now() + limits.ms
  let at = 0
  for (; at < waiting.length && entries.size < limits.files && performance.now() < end; at++) {
    const folder = waiting[at] as Folder
    const found = look(root, folder, isLeftOut)
    for (const [path, entry] of found.entries) entries.set(path, entry)
    waiting.push(...found.folders)
    await pause()
  }
  return { entries, unread: waiting.slice(at).map(({ names }) => names.join('/')) }
}

function look(root: string, { names, levels }: Folder, isLeftOut: (path: string) => boolean) {
  const path = names.join('/')
  const full = names.length === 0 ? root : join(root, path)
  const entries: [string, Entry][] = []
  const folders: Folder[] = []
  const inside = readFolder(full)
  const own = inside.some((each) => each.name === '.gitignore' && each.isFile())
    ? [...levels, ...levelOf(root, names)]
    : levels
  for (const each of inside) {
    const { name } = each
    const below = [...names, name]
    if (NEVER.has(name) || isIgnored(own, below, each.isDirectory())) continue
    const place = full.endsWith(sep) ? full + name : full + sep + name
    if (isLeftOut(place)) continue
    if (each.isDirectory()) folders.push({ names: below, levels: own })
    else {
      const entry = lstatOf(place)
      if (entry) entries.push([path === '' ? name : `${path}/${name}`, entry])
    }
  }
  // Somebody may have put a link in its place meanwhile: then all this is of another folder.
  return isRealFolder(full) ? { entries, folders } : { entries: [], folders: [] }
}

function readFolder(full: string): Dirent[] {
  try {
    const inside = readdirSync(full, { withFileTypes: true })
    return inside.sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch {
    return []
  }
}

function lstatOf(full: string): Entry | undefined {
  try {
    return entryOf(lstatSync(full))
  } catch {
    return undefined
  }
}

function levelOf(root: string, names: readonly string[]): IgnoreLevel[] {
  const read = readBelow(root, [...names, '.gitignore'].join('/'), IGNORE_FILE_LIMIT)
  return 'bytes' in read ? [{ depth: names.length, rules: parseIgnoreRules(read.bytes.toString()) }] : []
}
