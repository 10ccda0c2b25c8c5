import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { conversationFolder } from './conversation-folder.ts'
import { projectFolders, sessionFiles } from './session-files.ts'

/** A folder in which Claude Code was used on this machine. */
export interface RecentProject {
  readonly path: string
  readonly lastUsedAt: number
}

/**
 * The newest ones. What is read is bounded by `limit`, however many conversations there are: a project counts as new as its
 * last conversation began.
 */
export async function recentProjects(projects: string, limit: number): Promise<RecentProject[]> {
  const folders = await Promise.all((await projectFolders(projects)).map((name) => withTime(projects, name)))
  const newest = folders.sort((one, other) => other.changedAt - one.changedAt).slice(0, limit)
  const found = await Promise.all(newest.map(({ name }) => usedFolder(projects, name)))
  return found.filter((project) => project !== undefined)
}

async function withTime(projects: string, name: string) {
  const stat = await lstat(join(projects, name)).catch(() => undefined)
  return { name, changedAt: stat?.mtimeMs ?? 0 }
}

async function usedFolder(projects: string, name: string): Promise<RecentProject | undefined> {
  const [newest] = await sessionFiles(projects, [name])
  const path = newest && (await conversationFolder(newest))
  return path === undefined ? undefined : { path, lastUsedAt: Math.round(newest?.modifiedAt ?? 0) }
}
