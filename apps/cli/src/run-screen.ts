export const BEEP = '\x07'

/** Brings a terminal back to how shells expect it, whatever the program has switched on. */
export const RESET = [
  '\x1b[?1049l', // the other screen
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l', // the mouse
  '\x1b[?1004l', // focus
  '\x1b[?2004l', // paste
  '\x1b[?2026l', // drawing at once
  '\x1b[<u\x1b[>4m', // keys
  '\x1b[?1l\x1b>', // cursor keys and keypad
  '\x1b7\x1b[r\x1b8', // scrolling
  '\x1b[?7h\x1b[?25h\x1b[0m\x1b(B',
].join('')

/** Moves what the terminal shows up and away, so that it stays readable there, and begins at the top. */
export function firstScreen(data: string, rows: number): string {
  return `${'\r\n'.repeat(Math.max(rows - 1, 0))}\x1b[H\x1b[2J${data}`
}

/** Another picture of the same terminal. */
export function nextScreen(data: string): string {
  return `${RESET}\x1b[H\x1b[2J${data}`
}

/** A line at the bottom, over whatever is there; the next screen takes its place. */
export function statusLine(words: string, { cols, rows }: { cols: number; rows: number }): string {
  return `\x1b7\x1b[${rows};1H\x1b[0;7m${` ${words}`.slice(0, cols).padEnd(cols)}\x1b[0m\x1b8`
}

/** A line before the first screen, which moves it up and away with everything else. */
export function hintLine(words: string): string {
  return `\x1b[2m${words}\x1b[0m\r\n`
}
