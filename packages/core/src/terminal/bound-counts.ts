/** Far more than any screen has lines or columns. */
const MOST = 1000
/**
 * Tabs, lines and scrolling, forwards and backwards, and the last character once more: xterm's parser does these as often
 * as it is told to, one by one, and a count of two thousand million is eleven characters of output.
 */
const COUNTED = ['I', 'L', 'M', 'S', 'T', 'Z', 'b'] as const

interface CountingParser {
  registerCsiHandler(id: { final: string }, handle: (counts: (number | number[])[]) => boolean): unknown
}

/** Leaves out what would keep a terminal busy for minutes. */
export function boundCounts(terminal: { readonly parser: CountingParser }): void {
  for (const final of COUNTED) {
    terminal.parser.registerCsiHandler({ final }, (counts) => counts.flat().some((count) => count > MOST))
  }
}
