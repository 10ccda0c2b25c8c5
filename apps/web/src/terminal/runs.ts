import type { IBufferCell, IBufferLine } from '@xterm/headless'
import { cellText } from './cell-text.ts'
import { type Colour, cellColours, GROUND, INK } from './colours.ts'

/** A piece of one line that is drawn alike. */
export interface Run {
  readonly text: string
  /** How many cells wide: the box of a run has that width whatever its text would take. */
  readonly cells: number
  readonly ink?: Colour
  readonly ground?: Colour
  readonly bold?: true
  readonly italic?: true
  readonly underline?: true
  readonly strike?: true
  /** It hides something that cannot be seen. */
  readonly hides?: true
}

/** A line as it is drawn; equal keys are equal pictures. */
export interface Line {
  readonly key: string
  readonly runs: readonly Run[]
}

type Style = Omit<Run, 'text' | 'cells' | 'hides'>
const PLAIN: Style = {}

/** What is concealed or blinks is drawn as any text: a terminal is no place to hide something in. */
export function lineOf(line: IBufferLine | undefined, columns: number, scratch: IBufferCell): Line {
  const runs: Run[] = []
  let text = ''
  let cells = 0
  let style = PLAIN
  const flush = () => {
    if (cells > 0) runs.push({ text, cells, ...style })
    text = ''
    cells = 0
  }
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column, scratch)
    if (!cell) break
    const width = cell.getWidth()
    // The second half of a wide character.
    if (width === 0) continue
    const drawn = cellText(cell.getChars())
    const next = styleOf(cell)
    if (!isAlike(next, style)) {
      flush()
      style = next
    }
    if (drawn.isOrdinary && width === 1) {
      text += drawn.text
      cells += 1
      continue
    }
    flush()
    runs.push({ text: drawn.text, cells: width, ...style, ...(drawn.hides && { hides: true }) })
  }
  flush()
  const trimmed = withoutEnd(runs)
  return { key: JSON.stringify(trimmed), runs: trimmed }
}

/** Spaces at the end that nobody sees are left out, so that they are not copied either. */
function withoutEnd(runs: readonly Run[]): readonly Run[] {
  const last = runs.at(-1)
  if (!last || last.ground !== undefined || last.underline || last.strike) return runs
  const text = last.text.trimEnd()
  if (text === last.text) return runs
  const shorter = runs.slice(0, -1)
  const cells = last.cells - (last.text.length - text.length)
  return text === '' ? shorter : [...shorter, { ...last, text, cells }]
}

function styleOf(cell: IBufferCell): Style {
  if (cell.isAttributeDefault()) return PLAIN
  const { ink, ground } = cellColours(cell)
  return {
    ...(ink !== INK && { ink }),
    ...(ground !== GROUND && { ground }),
    ...(cell.isBold() && { bold: true }),
    ...(cell.isItalic() && { italic: true }),
    ...(cell.isUnderline() && { underline: true }),
    ...(cell.isStrikethrough() && { strike: true }),
  }
}

function isAlike(one: Style, other: Style): boolean {
  if (one === other) return true
  const isSameColour = one.ink === other.ink && one.ground === other.ground
  const isSameWeight = one.bold === other.bold && one.italic === other.italic
  return isSameColour && isSameWeight && one.underline === other.underline && one.strike === other.strike
}
