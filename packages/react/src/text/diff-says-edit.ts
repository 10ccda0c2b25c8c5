import { parseUnifiedDiff } from './unified-diff.ts'

/** Blanks at the end of a line, and line ends of another kind: both are easily overlooked in a diff. */
const EASILY_MISSED = /[ \t](?=\n|$)|\r/

/**
 * Whether a diff shows all that an edit's old and new text say. It does not where a text is taken away, which takes its
 * line break, too; where nothing but blanks or line ends differ; or where the texts are not found in it as they are.
 */
export function diffSaysEdit(diff: string, before: string, after: string): boolean {
  if (after === '' || EASILY_MISSED.test(before) || EASILY_MISSED.test(after)) return false
  if (withoutBlanks(before) === withoutBlanks(after)) return false
  const lines = parseUnifiedDiff(diff)?.hunks.flatMap((hunk) => hunk.lines) ?? []
  const text = (without: 'added' | 'removed') =>
    lines
      .filter(({ kind }) => kind !== without)
      .map((line) => line.text)
      .join('\n')
  return text('added').includes(before) && text('removed').includes(after)
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, '')
}
