import { createHash } from 'node:crypto'
import type { Records } from '@holdpoint/core/store'
import { canonicalJson } from '@holdpoint/schema/json'
import { z } from 'zod'
import { type FolderSettings, folderSettings, type SettingsFile } from './folder-settings.ts'

const COLLECTION = 'trusted-folders'

/** How a folder stands, and what a person has to see before they trust it. */
export const FolderTrust = z.object({
  state: z.enum(['trusted', 'changed', 'untrusted']),
  /** Why it does not count as trusted any more, or cannot be. */
  reason: z.string().optional(),
  /** Stands for exactly these files: whoever trusts them hands it back. Left out where they cannot be read. */
  digest: z.string().optional(),
  /** Settings, hooks and MCP servers of the folder and of those above it, and the files that they name. */
  files: z.array(
    z.object({
      path: z.string(),
      /** Against what was trusted. */
      change: z.enum(['new', 'changed', 'removed']).optional(),
      text: z.string().optional(),
    }),
  ),
  /** What runs files that are not known, so that trust does not end when those change. Left out where there is none. */
  unwatched: z.array(z.object({ what: z.string(), why: z.string() })).optional(),
})
export type FolderTrust = z.infer<typeof FolderTrust>

/** What was trusted. Records of earlier versions do not say. */
const Entry = z.object({ by: z.string(), at: z.number(), files: z.record(z.string(), z.string()).optional() })
type Entry = z.infer<typeof Entry>

const UNBOUND = 'It was trusted before Holdpoint kept what a trusted folder held. Look at it once more.'
const UNSEEN = 'The settings, hooks or MCP servers of this folder have changed since they were shown: look again.'
const CHANGED = 'Its settings, hooks or MCP servers have changed since it was trusted.'

/**
 * Folders whose own settings may act, because a person said so. Trust holds for what the person could see: when the
 * folder's settings change it counts as untrusted until somebody has looked at it again.
 */
export function createTrustedFolders(records: Records) {
  async function trusted(folder: string): Promise<Entry | undefined> {
    return Entry.safeParse(await records.get(COLLECTION, folder)).data
  }

  return {
    async isTrusted(folder: string): Promise<boolean> {
      const entry = await trusted(folder)
      if (!entry?.files) return false
      const now = await readable(folder)
      return 'files' in now && canonicalJson(hashes(now.files)) === canonicalJson(entry.files)
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
      await records.put(COLLECTION, folder, { ...by, files: hashes(now.files) })
      return undefined
    },

    distrust: (folder: string) => records.remove(COLLECTION, folder),
  }
}
export type TrustedFolders = ReturnType<typeof createTrustedFolders>

/** What cannot be read cannot be trusted. */
async function readable(folder: string): Promise<FolderSettings | { reason: string }> {
  return folderSettings(folder).catch((error: Error) => ({
    reason: `Its settings cannot be looked at (${error.message}).`,
  }))
}

function hashes(files: readonly SettingsFile[]): Record<string, string> {
  return Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256]))
}

function digestOf(files: readonly SettingsFile[]): string {
  return createHash('sha256')
    .update(canonicalJson(hashes(files)))
    .digest('hex')
}
