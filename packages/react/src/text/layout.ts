import type { Escape, Segment } from '@holdpoint/core/text/visible-text'
import type { Fold } from './folds.ts'

/** How a range of the text looks. Ranges are in order and do not overlap. */
export interface Look {
  readonly start: number
  readonly end: number
  /** A CSS colour. */
  readonly color?: string
  /** The part of a changed line that changed. */
  readonly emphasis?: boolean
}

export type Part =
  | { readonly kind: 'text'; readonly at: number; readonly text: string; readonly look?: Look }
  | { readonly kind: 'escape'; readonly at: number; readonly escape: Escape; readonly look?: Look }
  | { readonly kind: 'fold'; readonly at: number; readonly fold: Fold; readonly text: string }

/**
 * The segments cut at the edges of looks and folds. Segments are made from the whole text first, because a word that two
 * colours share must be judged as one.
 */
export function layout(segments: readonly Segment[], looks: readonly Look[], folds: readonly Fold[]): readonly Part[] {
  const parts: Part[] = []
  let at = 0
  let lookIndex = 0
  let foldIndex = 0
  for (const segment of segments) {
    const end = at + lengthOf(segment)
    while (at < end) {
      while ((looks[lookIndex]?.end ?? Number.POSITIVE_INFINITY) <= at) lookIndex++
      while ((folds[foldIndex]?.end ?? Number.POSITIVE_INFINITY) <= at) foldIndex++
      const look = looks[lookIndex]
      const fold = folds[foldIndex]
      const inLook = look !== undefined && look.start <= at ? look : undefined
      if (segment.kind === 'escape') {
        parts.push({ kind: 'escape', at, escape: segment, look: inLook })
        at = end
        continue
      }
      const inFold = fold !== undefined && fold.start <= at ? fold : undefined
      const until = inFold
        ? Math.min(end, inFold.end)
        : Math.min(end, fold?.start ?? end, inLook ? inLook.end : (look?.start ?? end))
      const text = segment.text.slice(segment.text.length - (end - at), segment.text.length - (end - until))
      parts.push(inFold ? { kind: 'fold', at, fold: inFold, text } : { kind: 'text', at, text, look: inLook })
      at = until
    }
  }
  return parts
}

function lengthOf(segment: Segment): number {
  return segment.kind === 'plain' ? segment.text.length : segment.source.length
}

/** The segments of each line, without the line feeds. */
export function lines(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  let line: Segment[] = []
  const all = [line]
  for (const segment of segments) {
    if (segment.kind === 'escape') {
      line.push(segment)
      continue
    }
    const [first = '', ...others] = segment.text.split('\n')
    if (first) line.push({ kind: 'plain', text: first })
    for (const text of others) {
      line = text ? [{ kind: 'plain', text }] : []
      all.push(line)
    }
  }
  return all
}
