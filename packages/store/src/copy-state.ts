import type { Store } from '@holdpoint/core/store'

/** The collection that says of a log what a copy of it is about. Names never change. */
export const COPY_STATE = 'log-copy'
const KEY = 'state'

/**
 * `incomplete`: the copy was cut off, or is still made. `moved`: the log goes on elsewhere. A gateway must not decide on half
 * of a log, nor on one that others continue.
 */
export type CopyState = 'incomplete' | 'moved'

export async function readCopyState(store: Pick<Store, 'records'>): Promise<CopyState | undefined> {
  const value = await store.records.get(COPY_STATE, KEY)
  return value === 'incomplete' || value === 'moved' ? value : undefined
}

export async function noteCopyState(store: Pick<Store, 'records'>, state: CopyState | undefined): Promise<void> {
  if (state === undefined) await store.records.remove(COPY_STATE, KEY)
  else await store.records.put(COPY_STATE, KEY, state)
}
