/** One line of a tree: a value, or the bracket that opens or closes a collection. */
export interface JsonRow {
  /** Unique in the tree, and the same for the same place. */
  readonly id: number
  readonly depth: number
  readonly key?: string
  readonly index?: number
  readonly shape: 'value' | 'open' | 'close' | 'empty'
  readonly value: unknown
  /** For an opening row: the id of its closing one, so that a fold can skip to it, and how much is inside. */
  readonly closes?: number
  readonly size?: number
}

interface Open {
  readonly value: object
  readonly keys: readonly string[] | undefined
  readonly size: number
  readonly row: number
  next: number
}

/** Any JSON as lines, in order. Without recursion: a value nested ten thousand deep is a value like any other. */
export function jsonRows(root: unknown): readonly JsonRow[] {
  const rows: JsonRow[] = []
  const stack: Open[] = []
  const add = (value: unknown, place: { key?: string; index?: number }) => {
    const id = rows.length
    const depth = stack.length
    if (typeof value !== 'object' || value === null) {
      rows.push({ id, depth, ...place, shape: 'value', value })
      return
    }
    const keys = Array.isArray(value) ? undefined : Object.keys(value)
    const size = keys ? keys.length : (value as readonly unknown[]).length
    rows.push({ id, depth, ...place, shape: size === 0 ? 'empty' : 'open', value, size })
    if (size > 0) stack.push({ value, keys, size, row: id, next: 0 })
  }
  add(root, {})
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    if (top.next === top.size) {
      stack.pop()
      const opening = rows[top.row] as JsonRow
      rows[top.row] = { ...opening, closes: rows.length }
      rows.push({ id: rows.length, depth: stack.length, shape: 'close', value: top.value })
      continue
    }
    const at = top.next++
    const key = top.keys?.[at]
    if (key === undefined) add((top.value as readonly unknown[])[at], { index: at })
    else add((top.value as Readonly<Record<string, unknown>>)[key], { key })
  }
  return rows
}

/** The rows without what is inside the folded ones. */
export function unfolded(rows: readonly JsonRow[], folded: ReadonlySet<number>): readonly JsonRow[] {
  if (folded.size === 0) return rows
  const shown: JsonRow[] = []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as JsonRow
    shown.push(row)
    if (row.closes !== undefined && folded.has(row.id)) at = row.closes
  }
  return shown
}

/** A value that is not text, as JSON writes it; what JSON cannot say is named. */
export function literal(value: unknown): string {
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return JSON.stringify(value) ?? String(value)
}
