import { segments, type VisibleTextOptions } from '@holdpoint/core/text/visible-text'
import { rightToLeftRuns } from './right-to-left.ts'

/** How many marks it takes to show what is escaped in a text. */
export function escapeMarks(text: string, options: Pick<VisibleTextOptions, 'prose'> = {}): number {
  let count = 0
  for (const segment of segments(text, { multiline: true, ...options })) if (segment.kind === 'escape') count++
  return count
}

/** How many elements code takes: for its escapes, and for what is written from the right. */
export function codeMarks(text: string): number {
  return escapeMarks(text) + rightToLeftRuns(text)
}
