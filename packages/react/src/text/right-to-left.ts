import type { Part } from './layout.ts'

/** A run of letters that are written from the right. */
export const RIGHT_TO_LEFT =
  /([\p{Script_Extensions=Hebrew}\p{Script_Extensions=Arabic}\p{Script_Extensions=Thaana}]+)/u

const RUNS_IN_PIECE = 200

/** How many runs there are, each of which takes an element to show. */
export function rightToLeftRuns(text: string): number {
  return RIGHT_TO_LEFT.test(text) ? text.split(RIGHT_TO_LEFT).length >> 1 : 0
}

/** A part in pieces of a few hundred runs each. */
export function cutAtRuns(part: Part): readonly Part[] {
  if (part.kind !== 'text' || part.text.length <= RUNS_IN_PIECE || !RIGHT_TO_LEFT.test(part.text)) return [part]
  const runs = part.text.split(RIGHT_TO_LEFT)
  const pieces: Part[] = []
  let { at } = part
  for (let first = 0; first < runs.length; first += RUNS_IN_PIECE * 2) {
    const text = runs.slice(first, first + RUNS_IN_PIECE * 2).join('')
    if (text !== '') pieces.push({ ...part, at, text })
    at += text.length
  }
  return pieces
}
