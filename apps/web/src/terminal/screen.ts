import { boundCounts } from '@holdpoint/core/terminal/bound-counts'
import { Terminal } from '@xterm/headless/lib-headless/xterm-headless.mjs'
import type { KeyModes } from './key-bytes.ts'
import { type Line, lineOf } from './runs.ts'

const SCROLLBACK = 1000
/** One piece is parsed in one go, and pieces in turn with everything else that the page does. */
const PIECE = 4096
/** Characters that may wait to be parsed (backpressure). Beyond that, a new snapshot of the screen is requested (I10). */
const MOST_WAITING = 4_000_000

export interface Cursor {
  readonly column: number
  /** Counted from the oldest line that is kept. */
  readonly line: number
  readonly isShown: boolean
}

/** A picture of the screen; a new object for every change. Lines are read with `Screen.line`. */
export interface ScreenState {
  readonly columns: number
  readonly rows: number
  /** Those that scrolled away included. */
  readonly lines: number
  readonly cursor: Cursor
  readonly modes: KeyModes
}

/**
 * The terminal's picture in this page. Output changes the picture and nothing else: titles, links, colours of the
 * window, the clipboard and whatever asks for a reply end here, unheard.
 */
export interface Screen {
  subscribe(listener: () => void): () => void
  getState(): ScreenState
  line(index: number): Line
  /** Starts over with a picture that somebody else has kept. */
  restore(picture: { readonly data: string; readonly columns: number; readonly rows: number }): void
  /** Says no when more comes in than can be shown: then a new picture is needed. */
  write(data: string): boolean
  close(): void
}

interface Picture {
  readonly terminal: Terminal
  isCursorShown(): boolean
}

/** `schedule` is called when something has changed, and calls back when it is time to draw. */
export function createScreen(schedule: (draw: () => void) => void): Screen {
  const listeners = new Set<() => void>()
  let shown = newPicture(80, 24)
  /** The one that is written to: another one while a new picture is being made, out of sight. */
  let written = shown
  let state = stateOf(shown)
  let waiting = 0
  let isScheduled = false

  function changed() {
    if (isScheduled) return
    isScheduled = true
    schedule(() => {
      isScheduled = false
      state = stateOf(shown)
      for (const listener of listeners) listener()
    })
  }

  /** `onParsed` is called for each piece, unless another picture has taken the place of this one by then. */
  function write(data: string, onParsed: (isLast: boolean) => void) {
    const current = written
    for (let from = 0; from < data.length; from += PIECE) {
      const piece = data.slice(from, from + PIECE)
      waiting += piece.length
      current.terminal.write(piece, () => {
        if (current !== written) return
        waiting -= piece.length
        onParsed(from + PIECE >= data.length)
      })
    }
  }

  function show() {
    if (shown !== written) shown.terminal.dispose()
    shown = written
    changed()
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getState: () => state,
    line: (index) => {
      const { cols, buffer } = shown.terminal
      return lineOf(buffer.active.getLine(index), cols, buffer.active.getNullCell())
    },
    restore({ data, columns, rows }) {
      if (shown !== written) written.terminal.dispose()
      written = newPicture(columns, rows)
      waiting = 0
      if (data === '') return show()
      write(data, (isLast) => isLast && show())
    },
    write(data) {
      if (waiting + data.length > MOST_WAITING) return false
      write(data, () => shown === written && changed())
      return true
    },
    close() {
      listeners.clear()
      shown.terminal.dispose()
      written.terminal.dispose()
    },
  }
}

function newPicture(cols: number, rows: number): Picture {
  const terminal = new Terminal({ cols, rows, scrollback: SCROLLBACK, allowProposedApi: true, logLevel: 'off' })
  boundCounts(terminal)
  return { terminal, isCursorShown: followCursor(terminal) }
}

/** Whether the program wants its cursor to be seen: the terminal knows, but does not say. */
function followCursor({ parser }: Terminal): () => boolean {
  let isShown = true
  const set = (value: boolean) => (modes: (number | number[])[]) => {
    if (modes.includes(25)) isShown = value
    return false
  }
  const show = () => {
    isShown = true
    return false
  }
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, set(true))
  parser.registerCsiHandler({ prefix: '?', final: 'l' }, set(false))
  parser.registerCsiHandler({ intermediates: '!', final: 'p' }, show)
  parser.registerEscHandler({ final: 'c' }, show)
  return () => isShown
}

function stateOf({ terminal, isCursorShown }: Picture): ScreenState {
  const { active } = terminal.buffer
  const { applicationCursorKeysMode, bracketedPasteMode } = terminal.modes
  return {
    columns: terminal.cols,
    rows: terminal.rows,
    lines: active.length,
    cursor: {
      // Past the last column while a line is full.
      column: Math.min(active.cursorX, terminal.cols - 1),
      line: active.baseY + active.cursorY,
      isShown: isCursorShown(),
    },
    modes: { applicationCursorKeys: applicationCursorKeysMode, bracketedPaste: bracketedPasteMode },
  }
}
