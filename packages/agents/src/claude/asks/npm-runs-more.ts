import { basename } from 'node:path'
import { readTextFile } from './read-text-file.ts'

export const MORE_BY_NPM =
  'npm may run more than this, because of its settings, a workspace or a package in a parent folder.'

/** Lines of `.npmrc` by which npm runs nothing else. */
const HARMLESS_SETTING =
  /^\s*([#;].*|\/\/.*|(@[\w.-]+:)?registry\s*=.*|(fund|audit|save-exact|engine-strict|loglevel|progress|min-release-age|ignore-scripts|allow-git)\s*=.*)?$/

/**
 * Whether npm may run scripts of other packages, or with another shell. `files` are those that are there of a package's
 * own file and npm's settings, in the call's folder and above (`filesRun`).
 */
export async function npmMayRunMore(files: readonly string[]): Promise<boolean> {
  const settings = [...new Set(files)]
  if (settings.filter((path) => basename(path) === 'package.json').length > 1) return true
  for (const path of settings) {
    const file = await readTextFile(path)
    if (!('text' in file) || (basename(path) === 'package.json' ? hasWorkspaces(file.text) : !isHarmless(file.text)))
      return true
  }
  return false
}

/** An escape could spell the word in another way. */
function hasWorkspaces(text: string): boolean {
  return text.includes('workspaces') || text.includes('\\u')
}

function isHarmless(npmrc: string): boolean {
  return npmrc.split(/\r?\n/).every((line) => HARMLESS_SETTING.test(line))
}
