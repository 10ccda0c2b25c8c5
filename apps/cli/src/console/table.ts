import { shortened, type Width } from './fence.ts'

const NARROWEST = 20

/** Rows under a head, in columns. The last column has what is left of the width, and is cut with a mark. */
export function tableLines(head: readonly string[], rows: readonly (readonly string[])[], width: Width): string[] {
  const table = [head, ...rows]
  const widths = head.slice(0, -1).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const taken = widths.reduce((sum, own) => sum + own + 2, 0)
  return table.map((row) => {
    const last = row[widths.length] ?? ''
    const cells = widths.map((own, column) => (row[column] ?? '').padEnd(own))
    return [
      ...cells,
      width.columns === undefined ? last : shortened(last, Math.max(width.columns - taken, NARROWEST)),
    ].join('  ')
  })
}
