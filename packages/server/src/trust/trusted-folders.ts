import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { WatchedFiles } from '@holdpoint/agents/claude/asks/watched-files'
import type { Records } from '@holdpoint/core/store'
import type { FolderTrust } from '@holdpoint/schema/endpoints/folders'
import type { NodeId } from '@holdpoint/schema/id'
import { canonicalJson } from '@holdpoint/schema/json'
import { z } from 'zod'
import { existingFolder } from './existing-folder.ts'
import { type FolderSettings, folderSettings, type SettingsFile } from './folder-settings.ts'

export const TRUSTED_FOLDERS = 'trusted-folders'

/** What was trusted. Records of earlier versions do not say. */
const Entry = z.object({ by: z.string(), at: z.number(), files: z.record(z.string(), z.string()).optional() })
type Entry = z.infer<typeof Entry>

interface ListedFolder extends Omit<Entry, 'files'> {
  readonly path: string
  readonly trusted: boolean
  readonly reason?: string
}

const UNBOUND = 'It was trusted before Holdpoint recorded what a trusted folder contains. Review it once more.'
const UNSEEN =
  'The settings, hooks or MCP servers of this folder have changed since they were shown. Review them again.'
const MISSING = 'There is no such folder any more.'
const AWAY = 'Its machine cannot be reached.'
const CHANGED = 'Its settings, hooks or MCP servers have changed since it was trusted.'

/**
 * Folders whose own settings may act, because a person said so. Trust holds for what the person could see: when the
 * folder's settings change it counts as untrusted until somebody has looked at it again.
 */
export function createTrustedFolders(records: Records, recordsOf: (node: NodeId) => Records = () => records) {
  async function trusted(folder: string): Promise<Entry | undefined> {
    return Entry.safeParse(await records.get(TRUSTED_FOLDERS, folder)).data
  }

  async function entriesOf(given: Records) {
    return (await given.list(TRUSTED_FOLDERS)).flatMap(({ key, value }) => {
      const { data } = Entry.safeParse(value)
      return data ? [{ path: key, by: data.by, at: data.at }] : []
    })
  }

  return {
    async isTrusted(folder: string): Promise<boolean> {
      const entry = await trusted(folder)
      if (!entry?.files) return false
      const now = await readable(folder)
      return 'files' in now && isSame(entry, now.files)
    },

    /** What Claude Code may run there without an ask, and whether it still is what was trusted. */
    async watchedFiles(folder: string): Promise<WatchedFiles> {
      const entry = await trusted(folder)
      const now = await readable(folder)
      if ('reason' in now) return { areUnchanged: false, paths: [], folders: [], names: [] }
      const real = await realpath(folder)
      const paths = new Set([...now.files.map(({ path }) => resolve(real, path)), ...now.scripts.paths])
      const { folders, names } = now.scripts
      return { areUnchanged: isSame(entry, now.files), paths: [...paths], folders: [...folders], names: [...names] }
    },

    async look(folder: string): Promise<FolderTrust> {
      const entry = await trusted(folder)
      const read = await readable(folder)
      if ('reason' in read) return { state: 'untrusted', reason: read.reason, files: [] }
      const { files: now, unwatched } = read
      const before = entry?.files
      const files = now.map(({ path, sha256, text }) => {
        const change = !before || before[path] === sha256 ? undefined : before[path] === undefined ? 'new' : 'changed'
        return { path, ...(change && { change: change as 'new' | 'changed' }), ...(text !== undefined && { text }) }
      })
      const paths = new Set(now.map(({ path }) => path))
      const removed = Object.keys(before ?? {}).filter((path) => !paths.has(path))
      const all = [...files, ...removed.map((path) => ({ path, change: 'removed' as const }))]
      const found = { digest: digestOf(now), files: all, ...(unwatched.length > 0 && { unwatched: [...unwatched] }) }
      if (!entry) return { state: 'untrusted', ...found }
      if (!before) return { state: 'changed', reason: UNBOUND, ...found }
      return all.some(({ change }) => change)
        ? { state: 'changed', reason: CHANGED, ...found }
        : { state: 'trusted', ...found }
    },

    /** Trusts what is there, or, with a digest, exactly what was shown under it; else says why not. */
    async trust(folder: string, by: Omit<Entry, 'files'>, digest?: string): Promise<string | undefined> {
      const now = await readable(folder)
      if ('reason' in now) return now.reason
      if (digest !== undefined && digest !== digestOf(now.files)) return UNSEEN
      await records.put(TRUSTED_FOLDERS, folder, { ...by, files: hashes(now.files) })
      return undefined
    },

    /** Each that a person has trusted, the latest first, and why it does not count where it does not. */
    async list(): Promise<ListedFolder[]> {
      const listed = (await entriesOf(records)).map(async (entry): Promise<ListedFolder> => {
        if ((await existingFolder(entry.path)) === undefined) return { ...entry, trusted: false, reason: MISSING }
        const { state, reason } = await this.look(entry.path)
        return { ...entry, trusted: state === 'trusted', ...(reason !== undefined && { reason }) }
      })
      return (await Promise.all(listed)).sort((one, other) => other.at - one.at)
    },

    /** Those of another machine that cannot be reached: what is in them now is not known here. */
    async listAway(node: NodeId): Promise<ListedFolder[]> {
      return (await entriesOf(recordsOf(node))).map((entry) => ({ ...entry, trusted: false, reason: AWAY }))
    },

    /** Says whether it was trusted. */
    distrust: (folder: string, node?: NodeId) =>
      (node === undefined ? records : recordsOf(node)).remove(TRUSTED_FOLDERS, folder),
  }
}
export type TrustedFolders = ReturnType<typeof createTrustedFolders>

/** What cannot be read cannot be trusted. */
async function readable(folder: string): Promise<FolderSettings | { reason: string }> {
  return folderSettings(folder).catch((error: Error) => ({
    reason: `Its settings cannot be read (${error.message}).`,
  }))
}

function isSame(entry: Entry | undefined, now: readonly SettingsFile[]): boolean {
  return entry?.files !== undefined && canonicalJson(hashes(now)) === canonicalJson(entry.files)
}

function hashes(files: readonly SettingsFile[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256]))
}

function digestOf(files: readonly SettingsFile[]): string {
  return createHash('sha256')
    .update(canonicalJson(hashes(files)))
    .digest('hex')
}
