import type { Ledger } from '@holdpoint/core/ledger'
import type { Store } from '@holdpoint/core/store'

/** Hex digits of a hash: enough to tell the events of two logs apart that have the same place. */
const MARK = 16

/** A place in the log, by the event there: a log that was put back has another event at the same place (F17). */
export function cursorOf(seq: number, hash: string | undefined): string {
  return hash === undefined ? String(seq) : `${seq}-${hash.slice(0, MARK)}`
}

/** A gateway that is behind is told of new events at once, and looks by itself every second. */
const CATCH_UP_MS = 5_000

interface Log {
  readonly ledger: Pick<Ledger, 'seq' | 'hash' | 'subscribe'>
  readonly store: Pick<Store, 'hashAt'>
}

/**
 * The place that a cursor names, if the event there is the one it was taken at. The beginning is that of every log. A cursor
 * of another gateway may be ahead of this one: then it is waited for, since an older snapshot would take things back.
 */
export async function placeOf(
  { ledger, store }: Log,
  cursor: string | number,
  signal: AbortSignal,
): Promise<number | undefined> {
  const [, digits, mark] = /^(\d{1,15})(?:-([0-9a-f]{16}))?$/.exec(String(cursor)) ?? []
  if (digits === undefined) return undefined
  const seq = Number(digits)
  if (seq === 0) return seq
  if (mark === undefined) return undefined
  const hash = seq === ledger.seq() ? ledger.hash() : await store.hashAt(seq)
  if (!hash?.startsWith(mark)) return undefined
  return seq <= ledger.seq() || (await reaches(ledger, seq, signal)) ? seq : undefined
}

function reaches(ledger: Log['ledger'], seq: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = AbortSignal.any([signal, AbortSignal.timeout(CATCH_UP_MS)])
    const forget = ledger.subscribe(look)
    function look() {
      if (ledger.seq() < seq && !end.aborted) return
      forget()
      end.removeEventListener('abort', look)
      resolve(ledger.seq() >= seq)
    }
    end.addEventListener('abort', look)
    look()
  })
}
