import { terminalJson, terminalLines, terminalText } from './terminal-text.ts'

export interface Width {
  /** Columns of the terminal that this is printed to; undefined when it goes to a file or a program. */
  readonly columns: number | undefined
}

const LINE = '  │ '
/** Marks a continued line. A terminal would wrap it to the left edge, where our own words are. */
const CONTINUED = '  ┆ '

/** Somebody else's text, set apart so that none of it can pass for ours. */
export function fenced(text: string, width: Width): string[] {
  return terminalLines(text).flatMap((line) => behindBar(line, width))
}

/** The same for the words of an agent or a program. */
export function fencedProse(text: string, width: Width): string[] {
  return terminalLines(text, { prose: true }).flatMap((line) => behindBar(line, width))
}

/** The same for what has to stay one entry: a line break in it is shown and makes no further entry. */
export function fencedLine(text: string, width: Width): string[] {
  return behindBar(terminalText(text), width)
}

/** A value as JSON. What JSON has escaped is not judged again: the escapes are not the words of others. */
export function fencedJson(value: unknown, width: Width): string[] {
  return terminalJson(value, 2)
    .split('\n')
    .flatMap((line) => behindBar(line, width))
}

/** One line of ours that contains words of others: a bar marks where it continues. */
export function wrapped(line: string, options: Width & { first: string; next: string }): string[] {
  const room =
    options.columns === undefined ? Number.POSITIVE_INFINITY : Math.max(options.columns - options.first.length, 20)
  const [start = '', ...rest] = pieces(line, room)
  return [options.first + start, ...rest.map((piece) => options.next + piece)]
}

/** Cuts to a width with a mark that says so. */
export function shortened(line: string, columns: number): string {
  const [first = '', ...rest] = pieces(line, columns)
  if (rest.length === 0) return first
  return `${pieces(line, Math.max(columns - 1, 1))[0] ?? ''}…`
}

/** The same from the other end, for texts whose end matters most. */
export function shortenedAtStart(line: string, columns: number): string {
  const backwards = (text: string) => [...text].reverse().join('')
  return backwards(shortened(backwards(line), columns))
}

function behindBar(line: string, width: Width): string[] {
  return wrapped(line, { ...width, first: LINE, next: CONTINUED })
}

function pieces(line: string, columns: number): string[] {
  const cut: string[] = []
  let piece = ''
  let width = 0
  for (const character of line) {
    // Too much for some characters rather than too little: a line that breaks early does no harm.
    const own = (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2
    if (width + own > columns && piece !== '') {
      cut.push(piece)
      piece = ''
      width = 0
    }
    piece += character
    width += own
  }
  return [...cut, piece]
}
