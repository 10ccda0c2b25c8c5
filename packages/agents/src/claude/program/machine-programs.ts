import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join, normalize } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The folders of the PATH that are the machine's own. `npx` and scripts of a repository put its `node_modules/.bin` in
 * front, and a relative folder is whatever we happen to stand in: what lies there was not chosen by the person.
 */
export function machineFolders({ PATH = '' }: Environment): string[] {
  return PATH.split(delimiter).filter(
    (folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(normalize(folder)),
  )
}

/** The first program of this name in these folders. */
export async function programIn(folders: readonly string[], name: string): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, name)
    if (await isProgram(path)) return path
  }
  return undefined
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
