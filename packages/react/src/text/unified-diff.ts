export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
  readonly oldNumber?: number
  readonly newNumber?: number
  /** The file ends here without a line feed. */
  readonly noNewline?: boolean
}

export interface Hunk {
  /** The `@@` line as it was written. */
  readonly header: string
  readonly lines: readonly DiffLine[]
}

export interface UnifiedDiff {
  readonly oldPath: string | undefined
  readonly newPath: string | undefined
  readonly hunks: readonly Hunk[]
  readonly added: number
  readonly removed: number
}

const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/
const NO_NEWLINE = /^\\ No newline at end of file$/

/** The diff of one file. Undefined when a line does not fit or is left over: then the text itself is what to show. */
export function parseUnifiedDiff(diff: string): UnifiedDiff | undefined {
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  let at = 0
  const oldPath = lines[at]?.startsWith('--- ') ? pathIn(lines[at++]) : undefined
  const newPath = oldPath !== undefined && lines[at]?.startsWith('+++ ') ? pathIn(lines[at++]) : undefined
  if (oldPath !== undefined && newPath === undefined) return undefined
  const hunks: Hunk[] = []
  let added = 0
  let removed = 0
  while (at < lines.length) {
    const header = lines[at++] ?? ''
    const sizes = HUNK.exec(header)
    if (!sizes) return undefined
    const found: DiffLine[] = []
    let oldNumber = Number(sizes[1])
    let newNumber = Number(sizes[3])
    const oldEnd = oldNumber + Number(sizes[2] ?? 1)
    const newEnd = newNumber + Number(sizes[4] ?? 1)
    while (oldNumber < oldEnd || newNumber < newEnd || NO_NEWLINE.test(lines[at] ?? '')) {
      const line = lines[at++]
      if (line === undefined) return undefined
      const text = line.slice(1)
      const last = found.at(-1)
      if (line.startsWith(' ')) found.push({ kind: 'same', text, oldNumber: oldNumber++, newNumber: newNumber++ })
      else if (line.startsWith('-')) found.push({ kind: 'removed', text, oldNumber: oldNumber++ })
      else if (line.startsWith('+')) found.push({ kind: 'added', text, newNumber: newNumber++ })
      else if (NO_NEWLINE.test(line) && last && !last.noNewline) found[found.length - 1] = { ...last, noNewline: true }
      else return undefined
    }
    if (oldNumber !== oldEnd || newNumber !== newEnd) return undefined
    added += found.filter((line) => line.kind === 'added').length
    removed += found.filter((line) => line.kind === 'removed').length
    hunks.push({ header, lines: found })
  }
  return hunks.length > 0 || newPath !== undefined ? { oldPath, newPath, hunks, added, removed } : undefined
}

/** jsdiff writes a tab and a date after the name, or a tab alone. */
function pathIn(line: string | undefined): string {
  return (line ?? '').slice(4).replace(/\t[^\t]*$/, '')
}

export interface DiffRow<Line> {
  readonly old: Line | undefined
  readonly new: Line | undefined
}

/** Lines side by side: those removed next to those that came in their place. */
export function pairLines<Line extends DiffLine>(lines: readonly Line[]): readonly DiffRow<Line>[] {
  const rows: DiffRow<Line>[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]
    if (line?.kind === 'same') {
      rows.push({ old: line, new: line })
      at++
      continue
    }
    const removed: Line[] = []
    const added: Line[] = []
    for (; lines[at] && lines[at]?.kind !== 'same'; at++) {
      const changed = lines[at] as Line
      if (changed.kind === 'removed' && added.length > 0) break
      ;(changed.kind === 'removed' ? removed : added).push(changed)
    }
    for (let row = 0; row < Math.max(removed.length, added.length); row++) {
      rows.push({ old: removed[row], new: added[row] })
    }
  }
  return rows
}
