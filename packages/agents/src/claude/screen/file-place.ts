const FILE_BYTES = 2 ** 40

/**
 * How far the conversations of a terminal have been read, as one number that only grows: each goes on in a file of its own,
 * and what is on record already is told from what is not by comparing these.
 */
export function placeIn(file: number, offset: number): number {
  return file * FILE_BYTES + offset
}

export function readPlace(place: number): { readonly file: number; readonly offset: number } {
  return { file: Math.floor(place / FILE_BYTES), offset: place % FILE_BYTES }
}
