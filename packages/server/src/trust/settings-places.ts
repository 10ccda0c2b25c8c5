import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isFixedPlace } from '@holdpoint/agents/files/fixed-place'
import { leadsTo } from '@holdpoint/agents/files/leads-to'
import { readBytes } from '@holdpoint/agents/files/read-bytes'
import { FolderSettingsError } from './folder-settings-error.ts'

const GIT_FILE_BYTES = 64 * 1024

/**
 * Folders that Claude Code reads project settings from when it is started in this one, which comes first. MCP servers are
 * read from every folder above, up to the root of the file system; skills, agents, commands and local settings as far up
 * as the repository goes; in a linked worktree also from the repository that it belongs to. None is left out here because
 * of where a repository seems to end. Throws a `FolderSettingsError` where Claude Code could come to another result.
 */
export async function settingsPlaces(folder: string): Promise<string[]> {
  const places = [folder]
  for (let at = folder; at !== dirname(at); at = dirname(at)) places.push(dirname(at))
  const repositories: string[] = []
  for (const place of places) {
    const git = await textOf(join(place, '.git'))
    // As Claude Code reads it.
    if (git?.startsWith('gitdir:')) repositories.push(...(await mainRepository(resolve(place, pathIn(git.slice(7))))))
  }
  return [...new Set([...places, ...repositories])]
}

async function mainRepository(gitFolder: string): Promise<string[]> {
  const common = await textOf(join(gitFolder, 'commondir'))
  if (common === undefined) return []
  const shared = resolve(gitFolder, pathIn(common))
  // Beside it the files are checked out; a bare repository is all there is.
  return [dirname(shared), shared]
}

/** Undefined for a folder, and for what is not there. */
async function textOf(path: string): Promise<string | undefined> {
  if (!(await isFixedPlace(path))) throw new FolderSettingsError(`${path} points to a different place in each process`)
  const entry = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new FolderSettingsError(`${path} cannot be read`)
  })
  if (!entry && (await leadsTo(path)) !== undefined) throw new FolderSettingsError(`${path} is a broken link`)
  if (!entry || entry.isDirectory()) return undefined
  const file = await readBytes(path, GIT_FILE_BYTES)
  if ('why' in file) throw new FolderSettingsError(`${path} ${file.why}`)
  return file.bytes?.toString('utf8').trim()
}

function pathIn(text: string): string {
  const path = text.trim()
  if (/\p{Cc}/u.test(path)) throw new FolderSettingsError('a file of git names a path with control characters')
  return path
}
