import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Where everything is kept: the flag, the environment, or a folder in the user's home. */
export function dataFolder(flag: string | undefined): string {
  return resolve(flag ?? process.env.HOLDPOINT_DATA ?? join(homedir(), '.holdpoint'))
}
