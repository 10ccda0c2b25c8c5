import { openFile } from '../../files/open-file.ts'
import { readEntry } from './entry.ts'
import { createLineReader } from './line-reader.ts'
import { linesBackwards } from './lines-backwards.ts'
import { type Calls, evolveCalls, NO_CALLS } from './open-calls.ts'
import { type ScanOptions, scanFile } from './scan.ts'

/** Nobody waits for an answer while this much is written after the question. */
const FOLLOW_BYTES = 64 * 1024 * 1024
const MODE_BYTES = 8 * 1024 * 1024

/**
 * The calls that are open at the end of a file, each with the time at which it was written: what a watcher that starts
 * from the tail would not know. Lines without a tool call, results among them, are read only from the first call on that no
 * later call of the model has put an end to.
 */
export async function scanCalls(path: string, options: ScanOptions = {}): Promise<Calls> {
  const offsets = new Map<string, number>()
  let calls = NO_CALLS
  await scanFile(
    path,
    (entry, offset) => {
      const next = evolveCalls(calls, entry, entry.at ?? 0)
      for (const { call } of next.ended) offsets.delete(call.toolUseId)
      for (const id of next.calls.open.keys()) if (!calls.open.has(id)) offsets.set(id, offset)
      calls = next.calls
    },
    options,
  )
  const open = offsets.size === 0 ? NO_CALLS.open : await openSince(path, Math.min(...offsets.values()), options)
  const permissionMode = await lastMode(path)
  return { open, ...(permissionMode !== undefined && { permissionMode }) }
}

/** With every entry: a prompt or a word of the model ends the calls before it. */
async function openSince(path: string, first: number, { signal }: ScanOptions): Promise<Calls['open']> {
  const file = await openFile(path)
  await file?.handle.close()
  const reader = createLineReader({ path, from: Math.max(first, (file?.size ?? 0) - FOLLOW_BYTES) })
  let calls = NO_CALLS
  await reader.read(
    ({ bytes }) => {
      const entry = readEntry(bytes)
      if (entry) calls = evolveCalls(calls, entry, entry.at ?? 0).calls
    },
    { ...(signal && { signal }) },
  )
  return calls.open
}

async function lastMode(path: string): Promise<string | undefined> {
  const file = await openFile(path)
  if (!file) return undefined
  try {
    for await (const { bytes } of linesBackwards(file.handle, { before: file.size, maxBytes: MODE_BYTES })) {
      if (!bytes.includes('"permissionMode"')) continue
      const entry = readEntry(bytes)
      if ((entry?.type === 'mode' || entry?.type === 'user') && entry.permissionMode) return entry.permissionMode
    }
    return undefined
  } finally {
    await file.handle.close()
  }
}
