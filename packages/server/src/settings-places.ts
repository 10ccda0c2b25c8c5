import { dirname, join, resolve } from 'node:path'
import { readBytes } from '@holdpoint/agents/files/read-bytes'

const GIT_FILE_BYTES = 64 * 1024

/**
 * Folders that Claude Code reads project settings from when it is started in this one, which comes first. MCP servers are
 * read from every folder above, up to the root of the file system; skills, agents, commands and local settings as far up
 * as the repository goes; in a linked worktree also from the repository that it belongs to. None is left out here because
 * of where a repository seems to end.
 */
export async function settingsPlaces(folder: string): Promise<string[]> {
  const places = [folder]
  for (let at = folder; at !== dirname(at); at = dirname(at)) places.push(dirname(at))
  for (const place of [...places]) {
    const git = await readBytes(join(place, '.git'), GIT_FILE_BYTES)
    // A folder: the repository is this one.
    if ('why' in git) break
    if (git.bytes) return [...new Set([...places, ...(await mainRepository(place, git.bytes.toString('utf8')))])]
  }
  return places
}

async function mainRepository(worktree: string, gitFile: string): Promise<string[]> {
  const gitFolder = /^gitdir:\s*(.+?)\s*$/m.exec(gitFile)?.[1]
  if (gitFolder === undefined) return []
  const own = resolve(worktree, gitFolder)
  const common = await readBytes(join(own, 'commondir'), GIT_FILE_BYTES)
  if ('why' in common || !common.bytes) return []
  const shared = resolve(own, common.bytes.toString('utf8').trim())
  // Beside it the files are checked out; a bare repository is all there is.
  return [dirname(shared), shared]
}
