import type { Ledger } from '@holdpoint/core/ledger'
import type { Store } from '@holdpoint/core/store'

/** Hex digits of a hash: enough to tell the events of two logs apart that have the same place. */
const MARK = 16

/** A place in the log, by the event there: a log that was put back has another event at the same place (F17). */
export function cursorOf(seq: number, hash: string | undefined): string {
  return hash === undefined ? String(seq) : `${seq}-${hash.slice(0, MARK)}`
}

/** The place that a cursor names, if the event there is the one it was taken at. The beginning is that of every log. */
export async function placeOf(
  { ledger, store }: { readonly ledger: Ledger; readonly store: Store },
  cursor: string | number,
): Promise<number | undefined> {
  const [, digits, mark] = /^(\d{1,15})(?:-([0-9a-f]{16}))?$/.exec(String(cursor)) ?? []
  if (digits === undefined) return undefined
  const seq = Number(digits)
  if (seq === 0) return seq
  if (mark === undefined || seq > ledger.seq()) return undefined
  const hash = seq === ledger.seq() ? ledger.hash() : await store.hashAt(seq)
  return hash?.startsWith(mark) ? seq : undefined
}
