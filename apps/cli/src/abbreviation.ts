import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'

/** Fewer characters would soon name something else than what was on the screen. */
const SHORTEST = 4
const SHORT = 6

/** The end of an id: ids of the same minute begin alike. As many characters as tell it from the others. */
export function shortId(id: string, others: readonly string[] = []): string {
  let length = SHORT
  while (length < id.length && others.some((other) => other !== id && other.endsWith(id.slice(-length)))) length++
  return id.slice(-length)
}

/** The one id that `given` is, begins or ends; undefined when there is none. */
export function findByAbbreviation<Named extends { id: string }>(
  all: readonly Named[],
  given: string,
): Named | undefined {
  const wanted = given.trim().toLowerCase()
  const exact = all.find(({ id }) => id === wanted)
  if (exact) return exact
  if (wanted.replace(/^[a-z]{3}_/, '').length < SHORTEST) {
    throw new CliError(
      `"${terminalText(given)}" is too short: give at least ${SHORTEST} characters of the id, without ask_ or ses_.`,
      EXIT.usage,
    )
  }
  const found = all.filter(({ id }) => id.startsWith(wanted) || id.slice(4).startsWith(wanted) || id.endsWith(wanted))
  if (found.length > 1) {
    const ids = found.map(({ id }) => `\n  ${id}`).join('')
    throw new CliError(`"${terminalText(given)}" matches several ids. Give more characters:${ids}`, EXIT.usage)
  }
  return found[0]
}
