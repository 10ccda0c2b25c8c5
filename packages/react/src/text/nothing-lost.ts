/** Blanks, and what markdown may use as a mark: dropped where it is one, shown where it is not. */
const BLANKS_AND_MARKS = /[ \t\n!"#'()*+\-.:<=>[\\\]_`|~]/g

/**
 * Whether what is shown of a markdown source is, but for blanks and marks, the source itself: the same characters, in the
 * same order, none of them twice. A parser drops what has no meaning in the format, such as an extra cell, and rewrites
 * entities and references: places to hide a sentence in.
 */
export function nothingLost(source: string, shown: string): boolean {
  return source.replace(BLANKS_AND_MARKS, '') === shown.replace(BLANKS_AND_MARKS, '')
}

/** Marks that no command is changed by: of titles, lists, links, quotes and code. */
const BLANKS_AND_PLAIN_MARKS = /[ \t\n!"#'()+\-.:<>[\]`|]/g
/** In a table, where a cell too many may be made of signs alone. */
const BLANKS_AND_TABLE_MARKS = /[ \t\n`|]/g
const UNDER_TABLE_HEAD = /^[ \t>]*[|:-][ \t|:-]*$/gm

/** Code, whose signs are no marks; then what may be left out of the rest. */
const CODE_AND_MARKS = new RegExp(
  [
    '(?<!`)(?<ticks>`+)(?!`)(?<code>[^]*?[^`])\\k<ticks>(?!`)',
    // A rule, what underlines a title, a fence of tildes.
    '^[ \\t>]*(?:(?:\\*[ \\t]*){3,}|(?:_[ \\t]*){3,}|=+[ \\t]*)$|^[ \\t>]*~{3,}',
    '(?<bullets>^(?:[ \\t>+-]|\\*(?=\\s|$)|\\d+[.)](?=\\s))+)',
    // Emphasis at the edges of words. The signs of `/*tmp*/`, `__init__.py` and `a==b==c` are within one.
    '(?<opens>(?<=[\\s(|[]|^)(?:\\*{1,3}|_{1,3}|~~|==)(?=[\\p{L}\\p{N}`[]))',
    '(?<closes>(?:(?<=[\\p{L}\\p{M}\\p{N}`])(?:\\*{1,3}|_{1,3}|~~|==)|(?<=[.,:;!?)])(?:\\*\\*|__|~~|==))(?=[.,:;!?)]*(?:[\\s|\\]]|$)))',
  ].join('|'),
  'gmu',
)

/**
 * The same for text that somebody decides on, where signs count that commands are made of. Those of emphasis may be left
 * out at the edges of words alone, a backslash never, and in a table nothing but what it is drawn with.
 */
export function noSignLost(source: string, shown: string, hasTable: boolean): boolean {
  const leftOut = hasTable ? BLANKS_AND_TABLE_MARKS : BLANKS_AND_PLAIN_MARKS
  const lines = hasTable ? source.replace(UNDER_TABLE_HEAD, '') : source
  const seen = shown.replace(leftOut, '')
  return [true, false].some((hasEmphasis) => withoutMarks(lines, hasEmphasis).replace(leftOut, '') === seen)
}

function withoutMarks(source: string, hasEmphasis: boolean): string {
  return source.replace(CODE_AND_MARKS, (found, ...captured) => {
    const { code, bullets, opens, closes }: Record<string, string | undefined> = captured.at(-1)
    if (opens ?? closes) return hasEmphasis ? '' : found
    return code ?? bullets?.replaceAll('*', '') ?? ''
  })
}
