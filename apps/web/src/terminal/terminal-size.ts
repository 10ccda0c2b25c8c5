import type { Size } from './terminal-link.ts'

/** Pixels. Text below the smallest size is unreadable: then the pane scrolls sideways. */
const SMALLEST_FONT = 9
/** Little enough that frames drawn with characters have no gaps. */
const LINE_HEIGHT = 1.17
const COLUMNS = { least: 20, most: 300 } as const
const ROWS = { least: 5, most: 120 } as const

export interface Room {
  readonly width: number
  readonly height: number
  /** Width of one cell divided by the size of the font. */
  readonly cellWidth: number
  /** The size at which text is read with ease here. */
  readonly font: number
}

/** How much text this pane has room for. */
export function sizeFor({ width, height, cellWidth, font }: Room): Size {
  return {
    cols: within(COLUMNS, Math.floor(width / (font * cellWidth))),
    rows: within(ROWS, Math.floor(height / lineHeight(font))),
  }
}

/** The size of the font that shows so many columns, if it can be read. */
export function fontFor({ width, cellWidth, font }: Room, columns: number): number {
  const fitting = Math.floor((width / (columns * cellWidth)) * 4) / 4
  return Math.max(SMALLEST_FONT, Math.min(font, fitting))
}

export function lineHeight(font: number): number {
  return Math.round(font * LINE_HEIGHT)
}

function within({ least, most }: { least: number; most: number }, value: number): number {
  return Math.min(most, Math.max(least, value))
}
