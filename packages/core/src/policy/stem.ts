import type { CallAction } from '@holdpoint/schema/call-action'
import type { CallParts } from './call-parts.ts'
import { isInner } from './fits.ts'
import { isKnownToRead } from './guarded.ts'
import { worksInProject } from './works-in-project.ts'

/**
 * What calls have in common that one rule could allow: the program and its subcommand, or the folder of a file. None for
 * what may change things outside of the project, or consists of several parts: no rule is suggested for that.
 */
export function stemOf(action: CallAction, { read, subjects }: CallParts): string | undefined {
  // What stands inside of a program that runs others is of that program.
  const [only, ...others] = subjects.filter((subject) => !isInner(subject))
  if (!only || others.length > 0 || read?.unknown !== undefined) return undefined
  if (action.type === 'file') return `${action.use} ${action.path.slice(0, action.path.lastIndexOf('/'))}`
  if (only.type !== 'command') return undefined
  const words = only.words.flatMap((word) => ('text' in word ? [word.text] : []))
  if (words.length < only.words.length) return undefined
  if (!isKnownToRead(only) && !worksInProject(words)) return undefined
  const [name = '', second] = words
  // An option is no subcommand.
  return second !== undefined && /^[a-z][a-z-]*$/.test(second) ? `${name} ${second}` : name
}
