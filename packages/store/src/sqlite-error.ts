import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreFault, type StoreFaultCode } from '@holdpoint/core/store'

/** A row was refused because of what is already there. Never leaves the store: it becomes a conflict. */
export class RefusedByTable extends Error {}

export function isRefusedByTable(error: unknown): boolean {
  return error instanceof RefusedByTable || /constraint failed/i.test(messageOf(error))
}

/** SQLite's own texts: the one thing that both drivers hand over. */
const CODES: readonly (readonly [RegExp, StoreFaultCode])[] = [
  [/disk is full/, 'full'],
  [/database (table )?is locked|schema is locked/, 'busy'],
  [/malformed|not a database|corrupt|unsupported file format/, 'corrupt'],
]

const SENTENCES: Partial<Record<StoreFaultCode, string>> = {
  full: 'The disk with the database is full. Free some space. The store then continues by itself.',
  busy: 'Another process holds the database. Stop it and try again.',
  corrupt: 'The database is damaged. Stop the gateway and restore the file from a backup.',
  io: 'The database could not be read or written.',
}

export function storeFault(error: unknown, path: string): StoreFault {
  if (error instanceof StoreFault) return error
  const message = messageOf(error)
  let code = CODES.find(([pattern]) => pattern.test(message))?.[1] ?? 'io'
  if (code === 'io' && isDiskFull(path)) code = 'full'
  return new StoreFault(code, `${SENTENCES[code]} (${path}: ${message})`, { cause: error })
}

/** The WebAssembly build reports a full disk as any other failed write. */
function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < 1_048_576
  } catch {
    return false
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
