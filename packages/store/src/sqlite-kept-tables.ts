import type { SessionId } from '@holdpoint/schema/id'
import { type KeptTables, type SessionTable, TABLES } from './session-tables.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** The column of each field that has another name. */
const COLUMNS: Readonly<Record<string, string>> = {
  requestId: 'request_id',
  toolUseId: 'tool_use_id',
  raisedSeq: 'raised_seq',
  settledSeq: 'settled_seq',
  changedSeq: 'changed_seq',
  deliveredSeq: 'delivered_seq',
  statusSeq: 'status_seq',
  addedSeq: 'added_seq',
  removedSeq: 'removed_seq',
}

/** Runs inside `guard`. */
export function sqliteKeptTables(db: SqliteDatabase, id: SessionId, recent: string): KeptTables {
  return {
    recent,
    text: ({ name }) => db.get<{ text: string }>(SQL[name].text, [id])?.text,
    rows: ({ name }) => db.all(SQL[name].rows, [id]),
  }
}

/** All of a session's rows as one text: reading them field by field takes three times as long. */
function statements(table: SessionTable): { readonly text: string; readonly rows: string } {
  const { name, fields, place } = table
  const column = (field: string) => (name === 'places' && field === 'id' ? 'last_seq' : (COLUMNS[field] ?? field))
  return {
    text: `SELECT json_group_array(json_array(${fields.map(column).join(', ')}) ORDER BY ${column(place)}) AS text
      FROM ${name} WHERE session_id = ?`,
    rows: `SELECT ${fields.map((field) => `${column(field)} AS ${field}`).join(', ')}
      FROM ${name} WHERE session_id = ?`,
  }
}

const SQL = {
  asks: statements(TABLES.asks),
  items: statements(TABLES.items),
  rules: statements(TABLES.rules),
  places: statements(TABLES.places),
}
