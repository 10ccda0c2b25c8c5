/** Lines that are drawn: those of trees, tables and frames. */
const DRAWN = /^ *[\u2500-\u257F]/

/**
 * Tells whether a place is in a line of a drawing, which begins with one of its signs; anywhere else an upright line is
 * easily taken for a pipe (T25). Places are to be given in the order of the text.
 */
export function createDrawing(text: string): (at: number) => boolean {
  let line = { end: -1, isDrawn: false }
  return (at) => {
    if (at > line.end) {
      const start = text.lastIndexOf('\n', at) + 1
      const end = text.indexOf('\n', at)
      line = { end: end < 0 ? text.length : end, isDrawn: DRAWN.test(text.slice(start, at + 1)) }
    }
    return line.isDrawn
  }
}
