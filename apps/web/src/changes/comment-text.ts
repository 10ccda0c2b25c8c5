import { render } from '@holdpoint/core/text/visible-text'
import { type DiffPlace, isGone, numberOf } from './diff-places.ts'

/** What a person wants to say about one line. */
export interface LineComment extends DiffPlace {
  readonly id: string
  readonly path: string
  readonly comment: string
}

/** A longer line is cut: the agent has the file. */
const MAX_QUOTED = 300

/**
 * Agents read a file that a message names with `@`, wherever it is, and ask nobody. Only the person may name one: not the line of
 * a file, nor a file's own name.
 */
const MENTION = /@(?=\S)/g
const MENTION_IN_PATH = /(?<=^|\s)@/g

/** All comments as one message: file and line, the line, and what was said about it. */
export function messageOf(comments: readonly LineComment[]): string {
  const parts = [...comments].sort(byPlace).map((one) => {
    const gone = isGone(one) ? ' (a line that was removed)' : ''
    const quoted = one.text.length > MAX_QUOTED ? `${one.text.slice(0, MAX_QUOTED)}…` : one.text
    return `${withoutMention(nameOf(one))}${gone}\n> ${quoted.replaceAll(MENTION, '@ ')}\n\n${one.comment}`
  })
  return ['Comments on the changed files:', ...parts].join('\n\n')
}

/** A path is on one line, whatever is in it. */
export function nameOf(one: LineComment): string {
  return `${render(one.path)}:${numberOf(one)}`
}

function withoutMention(path: string): string {
  return path.replaceAll(MENTION_IN_PATH, '⟨U+0040⟩')
}

function byPlace(one: LineComment, other: LineComment): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1
  return numberOf(one) - numberOf(other)
}
