import { RecordDamaged } from './store.ts'

/** Nothing for what was changed or damaged in the record: for whoever can do without it. */
export function unlessDamaged<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof RecordDamaged) return undefined
    throw error
  })
}
