import { isChanged } from '@holdpoint/core/session-view'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { SqliteDatabase } from './sqlite-database.ts'
import { BLOCK } from './sqlite-places.ts'

interface AskRow {
  readonly id: string
  readonly epoch: number
  readonly requestId: string
  readonly toolUseId: string | null
  readonly raisedSeq: number
  settledSeq: number | null
  /** Where it was withdrawn as changed, else 0. */
  changedSeq: number
  deliveredSeq: number | null
}
interface ItemRow {
  readonly id: string
  readonly seq: number
  status: string | null
  statusSeq: number
}
interface RuleRow {
  readonly id: string
  readonly addedSeq: number
  removedSeq: number | null
}
interface PlacesRow {
  /** The last place in it. */
  readonly id: string
  readonly seqs: string
}

/** What the tables should hold for one session, by its events; then whether they do. */
export function createSessionTables(sessionId: SessionId) {
  const asks = new Map<string, AskRow>()
  const items = new Map<string, ItemRow>()
  const rules = new Map<string, RuleRow>()
  const places = new Map<string, PlacesRow>()
  let recent: number[] = []

  return {
    /** The places of the newest events, as the session's own row should have them. */
    recent: () => recent.join(' '),
    add(event: DurableEvent, seq: number): void {
      recent.push(seq)
      if (recent.length === BLOCK) {
        places.set(String(seq), { id: String(seq), seqs: recent.join(' ') })
        recent = []
      }
      switch (event.type) {
        case 'ask-raised': {
          const { id, epoch, requestId, toolUseId } = event.ask
          const texts = { requestId: JSON.stringify(requestId), toolUseId: JSON.stringify(toolUseId) ?? null }
          asks.set(id, { id, epoch, ...texts, raisedSeq: seq, settledSeq: null, changedSeq: 0, deliveredSeq: null })
          break
        }
        case 'ask-settled': {
          const ask = asks.get(event.askId)
          if (ask) Object.assign(ask, { settledSeq: seq, changedSeq: isChanged(event.outcome) ? seq : 0 })
          break
        }
        case 'ask-delivered': {
          const ask = asks.get(event.askId)
          if (ask) ask.deliveredSeq ??= seq
          break
        }
        case 'item-added': {
          const { id } = event.item
          const status = (event.item.type === 'message' && event.item.status) || null
          items.set(id, { id, seq, status, statusSeq: seq })
          break
        }
        case 'item-changed': {
          const item = items.get(event.itemId)
          if (item) Object.assign(item, { status: event.changes.status, statusSeq: seq })
          break
        }
        case 'rule-added':
          rules.set(event.rule.id, { id: event.rule.id, addedSeq: seq, removedSeq: null })
          break
        case 'rule-removed': {
          const rule = rules.get(event.ruleId)
          if (rule) rule.removedSeq ??= seq
          break
        }
      }
    },

    /** The first row that is not as the events say. `seq` is the event that the row, or the lack of one, is about. */
    difference(db: SqliteDatabase): { seq: number; problem: string } | undefined {
      return (
        compare('asks', asks, db.all<AskRow>(SELECT_ASKS, [sessionId]), (ask) => ask.raisedSeq) ??
        compare('items', items, db.all<ItemRow>(SELECT_ITEMS, [sessionId]), (item) => item.seq) ??
        compare('rules', rules, db.all<RuleRow>(SELECT_RULES, [sessionId]), (rule) => rule.addedSeq) ??
        compare('places', places, db.all<PlacesRow>(SELECT_PLACES, [sessionId]), (row) => Number(row.id))
      )
    },
  }
}

function compare<Row extends { readonly id: string }>(
  table: string,
  expected: ReadonlyMap<string, Row>,
  found: readonly Row[],
  placeOf: (row: Row) => number,
): { seq: number; problem: string } | undefined {
  const seen = new Set<string>()
  for (const row of found) {
    const due = expected.get(row.id)
    if (!due) return { seq: placeOf(row), problem: `${table} has ${row.id}, of which no event tells` }
    if (Object.entries(due).some(([column, value]) => row[column as keyof Row] !== value)) {
      return { seq: placeOf(due), problem: `${table} does not say of ${row.id} what its events say` }
    }
    seen.add(row.id)
  }
  for (const due of expected.values()) {
    if (!seen.has(due.id)) return { seq: placeOf(due), problem: `${table} lacks ${due.id}` }
  }
  return undefined
}

const SELECT_ASKS = `SELECT id, epoch, request_id AS requestId, tool_use_id AS toolUseId, raised_seq AS raisedSeq,
  settled_seq AS settledSeq, changed_seq AS changedSeq, delivered_seq AS deliveredSeq FROM asks WHERE session_id = ?`
const SELECT_ITEMS = 'SELECT id, seq, status, status_seq AS statusSeq FROM items WHERE session_id = ?'
const SELECT_PLACES = 'SELECT CAST(last_seq AS TEXT) AS id, seqs FROM places WHERE session_id = ?'
const SELECT_RULES = 'SELECT id, added_seq AS addedSeq, removed_seq AS removedSeq FROM rules WHERE session_id = ?'
