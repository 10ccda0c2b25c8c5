import type { AskRecord } from './store.ts'

/** Asks and events never change. */
const sizes = new WeakMap<object, number>()
/** What is small is measured as fast as it is looked up. */
const REMEMBERED = 1024

/**
 * About how many characters a value has as JSON, without writing it down: values may be large, and this is asked often.
 * Without recursion: an input may be nested ten thousand deep.
 */
export function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return scalarSize(value)
  const known = sizes.get(value)
  if (known !== undefined) return known
  let size = 0
  const open: object[] = [value]
  for (let next = open.pop(); next; next = open.pop()) {
    size += 2
    for (const [key, entry] of Object.entries(next)) {
      size += Array.isArray(next) ? 1 : key.length + 4
      if (typeof entry === 'object' && entry !== null) open.push(entry)
      else size += scalarSize(entry)
    }
  }
  if (size > REMEMBERED) sizes.set(value, size)
  return size
}

/** Of an ask with its outcome, which may be as large: an answer can edit the input. */
export function recordSize({ ask, outcome }: AskRecord): number {
  return sizeOf(ask) + (outcome ? sizeOf(outcome) : 0)
}

function scalarSize(value: unknown): number {
  return typeof value === 'string' ? value.length + 2 : 8
}
