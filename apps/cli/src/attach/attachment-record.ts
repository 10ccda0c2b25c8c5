import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SettingsEdit } from './remove-hooks.ts'

/**
 * What was put into which settings file, kept in the data folder, so that it can be taken out to the last byte. Without
 * it, our entries are still known by their commands.
 */
export function readAttachment(dataDir: string, target: string): SettingsEdit | undefined {
  return readAll(dataDir).get(target)
}

export function writeAttachment(dataDir: string, target: string, attachment: SettingsEdit): void {
  writeAll(dataDir, readAll(dataDir).set(target, attachment))
}

/** The data folder may be gone by now, and the record with it. */
export function forgetAttachment(dataDir: string, target: string): void {
  const all = readAll(dataDir)
  if (all.delete(target)) writeAll(dataDir, all)
}

function writeAll(dataDir: string, all: ReadonlyMap<string, SettingsEdit>): void {
  const aside = `${recordPath(dataDir)}.${process.pid}`
  writeFileSync(aside, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`, { mode: 0o600 })
  renameSync(aside, recordPath(dataDir))
}

function recordPath(dataDir: string): string {
  return join(dataDir, 'attached.json')
}

function readAll(dataDir: string): Map<string, SettingsEdit> {
  try {
    const all = Object.entries(JSON.parse(readFileSync(recordPath(dataDir), 'utf8')) as Record<string, unknown>)
    return new Map(all.filter((entry): entry is [string, SettingsEdit] => isAttachment(entry[1])))
  } catch {
    return new Map()
  }
}

function isAttachment(value: unknown): value is SettingsEdit {
  const { created, pieces } = (value ?? {}) as Record<string, unknown>
  const isPiece = (piece: unknown) => {
    const { at, text } = (piece ?? {}) as Record<string, unknown>
    return Number.isSafeInteger(at) && typeof text === 'string' && text !== ''
  }
  return typeof created === 'boolean' && Array.isArray(pieces) && pieces.every(isPiece)
}
