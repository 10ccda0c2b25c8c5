import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Whether a folder is in the same git repository as the project, or neither is in one: git runs what a repository names. */
export async function isOwnRepository(project: string | undefined, folder: string | undefined): Promise<boolean> {
  if (project === undefined || folder === undefined) return false
  if (project === folder) return true
  const [own, other] = await Promise.all([repositoryOf(project), repositoryOf(folder)])
  return own === other
}

async function repositoryOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    // A bare repository has no `.git`: git takes a folder with these for one.
    if ((await exists(join(at, '.git'))) || (await exists(join(at, 'HEAD'), join(at, 'objects'), join(at, 'refs'))))
      return at
    if (at === dirname(at)) return undefined
  }
}

async function exists(...paths: readonly string[]): Promise<boolean> {
  const found = await Promise.allSettled(paths.map((path) => lstat(path)))
  return found.every(({ status }) => status === 'fulfilled')
}
