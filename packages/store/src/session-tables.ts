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
  readonly id: number
  readonly seqs: string
}

/** What the tables should hold for one session, by its events; then whether they do. */
export function createSessionTables(sessionId: SessionId) {
  const asks = new Map<string, AskRow>()
  const items = new Map<string, ItemRow>()
  const rules = new Map<string, RuleRow>()
  const places = new Map<number, PlacesRow>()
  let recent: number[] = []

  function addPlace(seq: number): void {
    recent.push(seq)
    if (recent.length < BLOCK) return
    places.set(seq, { id: seq, seqs: recent.join(' ') })
    recent = []
  }

  return {
    /** The places of the newest events, as the session's own row should have them. */
    recent: () => recent.join(' '),
    add(event: DurableEvent, seq: number): void {
      addPlace(seq)
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

    /** The same as `add` for a tool's output, of which only the id matters here. */
    addOutput(id: string, seq: number): void {
      addPlace(seq)
      items.set(id, { id, seq, status: null, statusSeq: seq })
    },

    /** The first row that is not as the events say. `seq` is the event that the row, or the lack of one, is about. */
    difference(db: SqliteDatabase): { seq: number; problem: string } | undefined {
      return (
        compare(db, sessionId, ASKS, asks) ??
        compare(db, sessionId, ITEMS, items) ??
        compare(db, sessionId, RULES, rules) ??
        compare(db, sessionId, PLACES, places)
      )
    },
  }
}

interface Table<Row> {
  readonly name: string
  /** Each field of a row, and the column that holds it. */
  readonly columns: readonly (readonly [keyof Row, string])[]
  /** The field with the place of the event that made the row. */
  readonly place: keyof Row
  /** All of a session's rows as one text: reading them field by field takes three times as long. */
  readonly text: string
  readonly rows: string
}

function table<Row>(name: string, columns: Record<keyof Row & string, string>, place: keyof Row & string): Table<Row> {
  const pairs = Object.entries(columns) as [keyof Row & string, string][]
  const order = columns[place]
  return {
    name,
    columns: pairs,
    place,
    text: `SELECT json_group_array(json_array(${Object.values(columns).join(', ')}) ORDER BY ${order}) AS text
      FROM ${name} WHERE session_id = ?`,
    rows: `SELECT ${pairs.map(([field, column]) => `${column} AS ${field}`).join(', ')}
      FROM ${name} WHERE session_id = ?`,
  }
}

const ASKS = table<AskRow>(
  'asks',
  {
    id: 'id',
    epoch: 'epoch',
    requestId: 'request_id',
    toolUseId: 'tool_use_id',
    raisedSeq: 'raised_seq',
    settledSeq: 'settled_seq',
    changedSeq: 'changed_seq',
    deliveredSeq: 'delivered_seq',
  },
  'raisedSeq',
)
const ITEMS = table<ItemRow>('items', { id: 'id', seq: 'seq', status: 'status', statusSeq: 'status_seq' }, 'seq')
const RULES = table<RuleRow>('rules', { id: 'id', addedSeq: 'added_seq', removedSeq: 'removed_seq' }, 'addedSeq')
const PLACES = table<PlacesRow>('places', { id: 'last_seq', seqs: 'seqs' }, 'id')

function compare<Row extends { readonly id: string | number }>(
  db: SqliteDatabase,
  sessionId: SessionId,
  { name, columns, place, text, rows }: Table<Row>,
  expected: ReadonlyMap<Row['id'], Row>,
): { seq: number; problem: string } | undefined {
  const due = JSON.stringify(Array.from(expected.values(), (row) => columns.map(([field]) => row[field])))
  if (db.get<{ text: string }>(text, [sessionId])?.text === due) return undefined
  // One character may be escaped in two ways: what counts is whether the rows differ.
  const seen = new Set<Row['id']>()
  for (const row of db.all<Row>(rows, [sessionId])) {
    const due = expected.get(row.id)
    if (!due) return { seq: Number(row[place]), problem: `${name} has ${row.id}, which is in no event` }
    if (columns.some(([field]) => row[field] !== due[field])) {
      return { seq: Number(due[place]), problem: `${name} does not match the events of ${row.id}` }
    }
    seen.add(row.id)
  }
  for (const due of expected.values()) {
    if (!seen.has(due.id)) return { seq: Number(due[place]), problem: `${name} is missing ${due.id}` }
  }
  return undefined
}
