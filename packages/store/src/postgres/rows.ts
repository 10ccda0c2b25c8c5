import { type AskRecord, RecordDamaged } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, ItemId, SessionId } from '@holdpoint/schema/id'
import type { Item, MessageItem } from '@holdpoint/schema/item'
import { type LogRow, readRow, sha256 } from '../log-row.ts'
import { misplaced } from '../record-damage.ts'

/** What is kept of an id that an agent chose. */
export function keyOf(id: string): string {
  return sha256(JSON.stringify(id))
}

const COLUMNS = [
  ['seq', 'seq'],
  ['session_id', 'sessionId'],
  ['session_seq', 'sessionSeq'],
  ['type', 'type'],
  ['at', 'at'],
  ["encode(%.prev_hash, 'hex')", 'prevHash'],
  ["encode(%.hash, 'hex')", 'hash'],
  ['data', 'data'],
] as const

/** The columns of a row of `events` under this alias, each named with `prefix` before it. */
export function eventColumns(alias: string, prefix = ''): string {
  return COLUMNS.map(
    ([column, field]) =>
      `${column.includes('%') ? column.replace('%', alias) : `${alias}.${column}`} AS "${prefix}${field}"`,
  ).join(', ')
}

/** One of the rows in a joined one, if it was found. */
export function joinedRow(row: Readonly<Record<string, unknown>>, prefix: string): LogRow | undefined {
  if (row[`${prefix}seq`] === null) return undefined
  return Object.fromEntries(COLUMNS.map(([, field]) => [field, row[`${prefix}${field}`]])) as unknown as LogRow
}

export interface AskRow extends Record<string, unknown> {
  readonly id: AskId
  readonly sessionId: SessionId
  readonly raisedSeq: number
  readonly settledSeq: number | null
  readonly deliveredSeq: number | null
}

/** An ask with the two events that say everything about it. */
export const SELECT_ASK = `SELECT a.id, a.session_id AS "sessionId", a.raised_seq AS "raisedSeq",
  a.settled_seq AS "settledSeq", a.delivered_seq AS "deliveredSeq",
  ${eventColumns('r', 'r_')}, ${eventColumns('s', 's_')}
  FROM asks a LEFT JOIN events r ON r.seq = a.raised_seq LEFT JOIN events s ON s.seq = a.settled_seq`

export function askRecord(row: AskRow): AskRecord {
  const delivered = row.deliveredSeq !== null
  const { ask } = eventOf(joinedRow(row, 'r_'), 'ask-raised', row.raisedSeq)
  if (ask.id !== row.id) throw misplaced(row.raisedSeq, row.id)
  if (row.settledSeq === null) return { ask, delivered }
  const settled = eventOf(joinedRow(row, 's_'), 'ask-settled', row.settledSeq)
  if (settled.askId !== row.id) throw misplaced(row.settledSeq, row.id)
  return { ask, outcome: settled.outcome, delivered }
}

export interface ItemRow extends Record<string, unknown> {
  readonly id: ItemId
  readonly place: number
  readonly status: Exclude<MessageItem['status'], undefined> | null
}

export function itemOf(row: ItemRow): Item {
  const { item } = eventOf(joinedRow(row, 'e_'), 'item-added', row.place)
  if (item.id !== row.id) throw misplaced(row.place, row.id)
  return row.status !== null && item.type === 'message' ? { ...item, status: row.status } : item
}

export function eventOf<Type extends DurableEvent['type']>(
  row: LogRow | undefined,
  type: Type,
  seq: number,
): Extract<DurableEvent, { type: Type }> {
  if (!row) throw new RecordDamaged(`Event ${seq} is missing: the database was changed or damaged.`)
  const { event } = readRow(row)
  if (event.type !== type) throw misplaced(seq, type)
  return event as Extract<DurableEvent, { type: Type }>
}

export const SELECT_SESSION = `SELECT id, seq, encode(hash, 'hex') AS hash, checkpoint, activity_at AS "activityAt", state, data,
  encode(sum, 'hex') AS sum FROM sessions`
