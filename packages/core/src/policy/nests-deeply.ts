/** Nobody writes more. */
const MAX_OPEN = 300

/**
 * Whether a line opens so many brackets that the parser, which searches the end of each, would take seconds (T49). Brackets
 * in quotes count too: which ones those are, only the parser knows.
 */
export function nestsDeeply(line: string): boolean {
  /** Of the word. */
  let braces = 0
  /** Not closed yet. */
  let rounds = 0
  let squares = 0
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at)
    if (character === '{') braces++
    else if (character === ' ' || character === '\n') braces = 0
    else if (character === '(') rounds++
    else if (character === ')') rounds = Math.max(0, rounds - 1)
    else if (character === '[' && line.charAt(at - 1) === '$') squares++
    if (Math.max(braces, rounds, squares) > MAX_OPEN) return true
  }
  return false
}
