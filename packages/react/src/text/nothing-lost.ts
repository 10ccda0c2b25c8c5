/** Blanks, and what markdown may use as a mark: dropped where it is one, shown where it is not. */
const BLANKS_AND_MARKS = /[ \t\n!"#'()*+\-.:<=>[\\\]_`|~]/g

/**
 * Whether what is shown of a markdown source is, but for blanks and marks, the source itself: the same characters, in the
 * same order, none of them twice. A parser drops what the format says means nothing, such as a cell too many, and writes
 * entities and references anew: places to hide a sentence in.
 */
export function nothingLost(source: string, shown: string): boolean {
  return source.replace(BLANKS_AND_MARKS, '') === shown.replace(BLANKS_AND_MARKS, '')
}
