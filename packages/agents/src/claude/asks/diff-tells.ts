import { parsePatch } from 'diff'

/**
 * Whether a diff tells exactly the change from one text to another. Made again, it could be late, or come out another
 * way: it is followed line by line instead.
 */
export function diffTells(diff: string, { name, before, after }: Change): boolean {
  const [patch] = parsePatch(diff)
  if (patch?.oldFileName !== name) return false
  const old = linesOf(before)
  const made: string[] = []
  let at = 0
  for (const { oldStart, lines } of patch.hunks) {
    made.push(...old.slice(at, oldStart - 1))
    at = oldStart - 1
    for (const [place, line] of lines.entries()) {
      if (line.startsWith('\\')) continue
      const text = line.slice(1) + (lines[place + 1]?.startsWith('\\') ? '' : '\n')
      if (!line.startsWith('+') && old[at++] !== text) return false
      if (!line.startsWith('-')) made.push(text)
    }
  }
  return [...made, ...old.slice(at)].join('') === after
}

interface Change {
  /** What the diff says it is of. */
  readonly name: string
  readonly before: string
  readonly after: string
}

/** With their ends. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/)
}
