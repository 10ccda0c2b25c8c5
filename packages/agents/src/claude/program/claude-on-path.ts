import { execFile } from 'node:child_process'
import { delimiter } from 'node:path'
import { promisify } from 'node:util'
import { machineFolders, programIn } from './machine-programs.ts'

const VERSION_MS = 10_000

/** The `claude` that a terminal would find, if it is at least of this version: an older one may not know our gate. */
export async function claudeOnPath(
  environment: Readonly<Record<string, string | undefined>>,
  atLeast: string,
): Promise<string | undefined> {
  const folders = machineFolders(environment)
  const path = await programIn(folders, 'claude')
  if (path === undefined) return undefined
  // What it is made of is looked up on the same path.
  const version = await claudeVersion(path, { ...environment, PATH: folders.join(delimiter) })
  return version !== undefined && isAtLeast(version, atLeast) ? path : undefined
}

/** What the program says of itself; undefined when it says nothing that is a version. */
export async function claudeVersion(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { env: environment, timeout: VERSION_MS })
    return /^\d+\.\d+\.\d+/.exec(stdout)?.[0]
  } catch {
    return undefined
  }
}

export function isAtLeast(version: string, wanted: string): boolean {
  const parts = version.split('.').map(Number)
  for (const [index, least] of wanted.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0
    if (part !== least) return part > least
  }
  return true
}
