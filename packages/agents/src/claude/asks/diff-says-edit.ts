import { parsePatch } from 'diff'

/** Blanks at the end of a line, and line ends of another kind: both are easily overlooked in a diff. */
const EASILY_MISSED = /[ \t](?=\n|$)|\r/

/**
 * Whether a diff shows all that an edit's old and new text say. It does not where a text is taken away, which takes its
 * line break, too; where nothing but blanks or line ends differ; or where the texts are not found in it as they are.
 */
export function diffSaysEdit(diff: string, before: string, after: string): boolean {
  if (after === '' || EASILY_MISSED.test(before) || EASILY_MISSED.test(after)) return false
  if (withoutBlanks(before) === withoutBlanks(after)) return false
  const lines = linesIn(diff)
  const text = (without: '+' | '-') =>
    lines
      .filter((line) => !line.startsWith(without))
      .map((line) => line.slice(1))
      .join('\n')
  return text('+').includes(before) && text('-').includes(after)
}

/** None where it cannot be read as a diff, by the name of its file for instance: then old and new text are shown. */
function linesIn(diff: string): readonly string[] {
  try {
    return parsePatch(diff).flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines.filter(isContent)))
  } catch {
    return []
  }
}

/** `\ No newline at end of file` is no line of the file. */
function isContent(line: string): boolean {
  return !line.startsWith('\\')
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, '')
}
