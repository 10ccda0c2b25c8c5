import { realpathSync, statSync } from 'node:fs'
import { CliError, EXIT } from './console/cli-error.ts'

/** The real path of a folder: rules know folders by it. */
export function projectFolder(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch {
    // Said below.
  }
  throw new CliError(`There is no folder ${path}. Name the folder of the project.`, EXIT.usage)
}
