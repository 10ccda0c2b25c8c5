import type { Ask } from '@holdpoint/schema/ask'
import { shortId } from './abbreviation.ts'
import { shortened, type Width } from './console/fence.ts'
import { tableLines } from './console/table.ts'
import { terminalText } from './console/terminal-text.ts'
import { ageWords } from './console/time-words.ts'
import { machineWord, type SessionMachines } from './session-machines.ts'

const SESSION_COLUMNS = 28

/** Open asks, one line each. What does not fit is cut with a mark; the whole is one command away. */
export function askTable(
  asks: readonly Ask[],
  options: { titles: ReadonlyMap<string, string>; machines?: SessionMachines; now: number } & Width,
): string[] {
  const ids = asks.map((ask) => ask.id)
  const { machines } = options
  const rows = asks.map((ask) => [
    shortId(ask.id, ids),
    ageWords(options.now - ask.raisedAt),
    ...(machines ? [machineWord(machines, ask.sessionId)] : []),
    shortened(terminalText(options.titles.get(ask.sessionId) ?? ask.sessionId), SESSION_COLUMNS),
    ask.kind,
    terminalText(ask.title),
  ])
  return tableLines(['ID', 'AGE', ...(machines ? ['MACHINE'] : []), 'SESSION', 'KIND', 'TITLE'], rows, options)
}
