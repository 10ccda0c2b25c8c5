import { isChanged } from '@holdpoint/core/session-view'
import type { DurableEvent } from '@holdpoint/schema/event'
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

/**
 * What the tables should hold for one session, by its events; then whether they do. `keyOf` gives what is kept of an id that
 * the agent chose, from its JSON text.
 */
export function createSessionTables(keyOf: (text: string) => string = (text) => text) {
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
          const toolUse = toolUseId === undefined ? null : keyOf(JSON.stringify(toolUseId))
          const keys = { requestId: keyOf(JSON.stringify(requestId)), toolUseId: toolUse }
          asks.set(id, { id, epoch, ...keys, raisedSeq: seq, settledSeq: null, changedSeq: 0, deliveredSeq: null })
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

    /** Of an event whose text is gone: only where it is. */
    addEmpty: addPlace,

    /** The same as `add` for a tool's output, of which only the id matters here. */
    addOutput(id: string, seq: number): void {
      addPlace(seq)
      items.set(id, { id, seq, status: null, statusSeq: seq })
    },

    /** The first row that is not as the events say. `seq` is the event that the row, or the lack of one, is about. */
    difference(kept: KeptTables): { seq: number; problem: string } | undefined {
      return (
        compare(kept, TABLES.asks, asks) ??
        compare(kept, TABLES.items, items) ??
        compare(kept, TABLES.rules, rules) ??
        (kept.recent === undefined ? undefined : compare(kept, TABLES.places, places))
      )
    },
  }
}

type Row = Readonly<Record<string, string | number | null>>

export interface SessionTable {
  readonly name: 'asks' | 'items' | 'rules' | 'places'
  readonly fields: readonly string[]
  /** The field with the place of the event that made the row. */
  readonly place: string
}

/** What is kept of one session beside its events. */
export interface KeptTables {
  /** The places of the newest events, where they are kept; there is a table for the others then. */
  readonly recent?: string
  /** All rows of a table as one JSON text, fields in their order, by place: where that is faster than to read them. */
  text?(table: SessionTable): string | undefined
  rows(table: SessionTable): readonly Row[]
}

export const TABLES = {
  asks: {
    name: 'asks',
    fields: ['id', 'epoch', 'requestId', 'toolUseId', 'raisedSeq', 'settledSeq', 'changedSeq', 'deliveredSeq'],
    place: 'raisedSeq',
  },
  items: { name: 'items', fields: ['id', 'seq', 'status', 'statusSeq'], place: 'seq' },
  rules: { name: 'rules', fields: ['id', 'addedSeq', 'removedSeq'], place: 'addedSeq' },
  places: { name: 'places', fields: ['id', 'seqs'], place: 'id' },
} as const satisfies Record<string, SessionTable>

function compare(
  kept: KeptTables,
  table: SessionTable,
  rowsDue: ReadonlyMap<string | number, object>,
): { seq: number; problem: string } | undefined {
  const { name, fields, place } = table
  const expected = rowsDue as ReadonlyMap<unknown, Row>
  if (kept.text) {
    const due = JSON.stringify(Array.from(expected.values(), (row) => fields.map((field) => row[field])))
    if (kept.text(table) === due) return undefined
  }
  // One character may be escaped in two ways: what counts is whether the rows differ.
  const seen = new Set<unknown>()
  for (const row of kept.rows(table)) {
    const due = expected.get(row.id)
    if (!due) return { seq: Number(row[place]), problem: `${name} has ${row.id}, which is in no event` }
    if (fields.some((field) => row[field] !== due[field])) {
      return { seq: Number(due[place]), problem: `${name} does not match the events of ${row.id}` }
    }
    seen.add(row.id)
  }
  for (const due of expected.values()) {
    if (!seen.has(due.id)) return { seq: Number(due[place]), problem: `${name} is missing ${due.id}` }
  }
  return undefined
}
