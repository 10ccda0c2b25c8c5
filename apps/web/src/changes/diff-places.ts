import { type DiffLine, parseUnifiedDiff } from '@holdpoint/react/text/unified-diff'

/** A line of a diff, so that it is found again while the diff has it. */
export type DiffPlace = Pick<DiffLine, 'kind' | 'text' | 'oldNumber' | 'newNumber'>

export function placesIn(diff: string): readonly DiffPlace[] {
  return parseUnifiedDiff(diff)?.hunks.flatMap(({ lines }) => lines) ?? []
}

export function isSamePlace(one: DiffPlace, other: DiffPlace): boolean {
  return numberOf(one) === numberOf(other) && isGone(one) === isGone(other) && one.text === other.text
}

/** The number that people see: the one in the file as it is now, unless the line is gone. */
export function numberOf({ oldNumber, newNumber }: DiffPlace): number {
  return newNumber ?? oldNumber ?? 0
}

export function isGone({ kind }: DiffPlace): boolean {
  return kind === 'removed'
}
