import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface SessionFile {
  readonly path: string
  readonly sessionId: string
  /** The project's folder, by name. */
  readonly folder: string
  readonly modifiedAt: number
  readonly size: number
}

/** What may be part of a path: an id never leads anywhere else. */
const SESSION_ID = /^[0-9a-zA-Z_-]{1,128}$/
const AT_ONCE = 32

export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id)
}

/** Undefined for anything but an ordinary file: links are not followed. */
export async function sessionFile(
  projects: string,
  folder: string,
  sessionId: string,
): Promise<SessionFile | undefined> {
  if (!isSessionId(sessionId)) return undefined
  const path = join(projects, folder, `${sessionId}.jsonl`)
  const stat = await lstat(path).catch(() => undefined)
  if (!stat?.isFile()) return undefined
  return { path, sessionId, folder, modifiedAt: stat.mtimeMs, size: stat.size }
}

export async function projectFolders(projects: string): Promise<string[]> {
  return (await entriesOf(projects)).filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

/** The transcripts of these projects, newest first. Reads none of them. */
export async function sessionFiles(projects: string, folders: readonly string[]): Promise<SessionFile[]> {
  const ids = await inTurn(folders, async (folder) =>
    (await entriesOf(join(projects, folder)))
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map(({ name }) => ({ folder, sessionId: name.slice(0, -'.jsonl'.length) })),
  )
  const files = await inTurn(ids.flat(), ({ folder, sessionId }) => sessionFile(projects, folder, sessionId))
  return files.filter((file) => file !== undefined).sort(newestFirst)
}

export function newestFirst(a: SessionFile, b: SessionFile): number {
  return b.modifiedAt - a.modifiedAt || (a.path < b.path ? -1 : 1)
}

/** Nothing there is nothing to list. */
function entriesOf(path: string): Promise<Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(() => [])
}

/** In order, a bounded number at once. */
async function inTurn<Value, Result>(
  values: readonly Value[],
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(values.length)
  let next = 0
  async function worker() {
    for (let index = next++; index < values.length; index = next++) results[index] = await work(values[index] as Value)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, values.length) }, worker))
  return results
}
