import type { Look } from './layout.ts'

export interface Range {
  readonly start: number
  readonly end: number
}

/** The looks of a text, for each of its lines, counted from the line's beginning. */
export function looksByLine(text: string, looks: readonly Look[]): readonly (readonly Look[])[] {
  let start = 0
  let first = 0
  return text.split('\n').map((line) => {
    const end = start + line.length
    const found: Look[] = []
    while ((looks[first]?.end ?? Number.POSITIVE_INFINITY) <= start) first++
    for (let index = first; index < looks.length; index++) {
      const look = looks[index] as Look
      if (look.start >= end) break
      found.push({ ...look, start: Math.max(look.start, start) - start, end: Math.min(look.end, end) - start })
    }
    start = end + 1
    return found
  })
}

/** The looks with emphasis on the given ranges, cut so that none overlap. Both are in order. */
export function emphasize(looks: readonly Look[], ranges: readonly Range[]): readonly Look[] {
  if (ranges.length === 0) return looks
  const edges = [...new Set([...looks, ...ranges].flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b)
  return edges.flatMap((start, index) => {
    const end = edges[index + 1]
    if (end === undefined) return []
    const look = looks.find((each) => each.start <= start && each.end >= end)
    const emphasis = ranges.some((each) => each.start <= start && each.end >= end)
    return look || emphasis ? [{ ...look, start, end, emphasis }] : []
  })
}
