import type { Ask } from '@holdpoint/schema/ask'
import { shortId } from './abbreviation.ts'
import { shortened, type Width } from './fence.ts'
import { terminalText } from './terminal-text.ts'
import { ageWords } from './time-words.ts'

const SESSION_COLUMNS = 28
const NARROWEST = 20

/** Open asks, one line each. What does not fit is cut with a mark; the whole is one command away. */
export function askTable(
  asks: readonly Ask[],
  options: { titles: ReadonlyMap<string, string>; now: number } & Width,
): string[] {
  const ids = asks.map((ask) => ask.id)
  const rows = asks.map((ask) => [
    shortId(ask.id, ids),
    ageWords(options.now - ask.raisedAt),
    shortened(terminalText(options.titles.get(ask.sessionId) ?? ask.sessionId), SESSION_COLUMNS),
    ask.kind,
    terminalText(ask.title),
  ])
  const table = [['ID', 'AGE', 'SESSION', 'KIND', 'TITLE'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const room =
    options.columns === undefined ? undefined : options.columns - widths.reduce((sum, width) => sum + width + 2, 0)
  return table.map((row) => {
    const title = row[4] ?? ''
    const cells = widths.map((width, column) => (row[column] ?? '').padEnd(width))
    return [...cells, room === undefined ? title : shortened(title, Math.max(room, NARROWEST))].join('  ')
  })
}
