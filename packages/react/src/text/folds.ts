/** Emptiness long enough to push what follows out of sight. It is shown as a count, and whole on request. */
export interface Fold {
  readonly start: number
  readonly end: number
  readonly count: number
  readonly unit: 'blank lines' | 'spaces'
}

const BLANK_LINES = 8
const SPACES = 48

/** Runs of blank lines first: what is inside one is not checked again. In the order of the text. */
const PADDING = new RegExp(`(?<=^|\\n)(?:[ \\t]*\\n){${BLANK_LINES},}|[ \\t]{${SPACES},}`, 'g')

export function foldsIn(text: string): readonly Fold[] {
  return Array.from(text.matchAll(PADDING), ({ 0: run, index }) => {
    const lines = run.split('\n').length - 1
    const end = index + run.length
    return lines > 0
      ? { start: index, end, count: lines, unit: 'blank lines' as const }
      : { start: index, end, count: run.length, unit: 'spaces' as const }
  })
}
