import { StoreFault } from '@holdpoint/core/store'
import { sha256 } from './log-row.ts'

/** Collections and keys are kept as JSON text, as the ids that agents choose are. */
export interface RecordRow {
  readonly collection: string
  readonly key: string
  readonly value: string
  readonly sum: string
}

export function recordRow(collection: string, key: string, value: unknown): RecordRow {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError('a record needs a JSON value')
  const row = { collection: JSON.stringify(collection), key: JSON.stringify(key), value: text }
  return { ...row, sum: recordSum(row) }
}

export function recordSum(row: Omit<RecordRow, 'sum'>): string {
  return sha256(JSON.stringify([row.collection, row.key, row.value]))
}

/** A credential's record that no longer matches its sum must not be believed (I4, I8). */
export function readRecord(row: RecordRow): { key: string; value: unknown } {
  if (recordSum(row) !== row.sum) {
    throw new StoreFault('corrupt', `The record ${row.key} of ${row.collection} does not match its checksum.`)
  }
  return { key: JSON.parse(row.key) as string, value: JSON.parse(row.value) as unknown }
}
