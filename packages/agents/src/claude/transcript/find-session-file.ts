import { realpath } from 'node:fs/promises'
import { openFile, readAt } from '../../files/open-file.ts'
import { readEntry } from './entry.ts'
import { linesBackwards } from './lines-backwards.ts'
import { projectFolderName } from './project-folder.ts'
import {
  isSessionId,
  newestFirst,
  projectFolders,
  type SessionFile,
  sessionFile,
  sessionFiles,
} from './session-files.ts'

/** A marker was typed a moment ago: it stands near the end of a file that has just changed. */
const MARKER_FILES = 5
const MARKER_BYTES = 4 * 1024 * 1024
const HEAD_BYTES = 64 * 1024
const CLEAR = '<command-name>/clear</command-name>'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface FindOptions {
  /** Where Claude Code runs, if that is known: only that project's transcripts count. */
  readonly cwd?: string
}

/** The transcript of a session by its id. In the project of `cwd` first, then in all: a session can have moved. */
export async function findSessionById(
  projects: string,
  sessionId: string,
  { cwd }: FindOptions = {},
): Promise<SessionFile | undefined> {
  if (!isSessionId(sessionId)) return undefined
  for (const folder of cwd === undefined ? [] : await namesOf(cwd)) {
    const file = await sessionFile(projects, folder, sessionId)
    if (file) return file
  }
  const found = await Promise.all(
    (await projectFolders(projects)).map((folder) => sessionFile(projects, folder, sessionId)),
  )
  return found.filter((file) => file !== undefined).sort(newestFirst)[0]
}

/** The transcripts that changed since then, the newest first; `folder` is a project's, by name. */
export async function sessionsSince(
  projects: string,
  { cwd, folder, since = 0 }: FindOptions & { readonly folder?: string; readonly since?: number } = {},
): Promise<SessionFile[]> {
  const files = await sessionFiles(projects, folder === undefined ? await foldersOf(projects, cwd) : [folder])
  return files.filter(({ modifiedAt }) => modifiedAt >= since)
}

/**
 * The one transcript in which a person said this: a random UUID that was typed into the terminal whose session is looked
 * for. Undefined when none of the newest has it yet, and when several do: then nothing is proved.
 */
export async function findSessionByMarker(
  projects: string,
  marker: string,
  { cwd }: FindOptions = {},
): Promise<SessionFile | undefined> {
  if (!UUID.test(marker))
    throw new RangeError('a marker is a random UUID: anything less could stand in another file too')
  const newest = (await sessionFiles(projects, await foldersOf(projects, cwd))).slice(0, MARKER_FILES)
  const holds = await Promise.all(newest.map((file) => isSaidIn(file.path, marker)))
  const found = newest.filter((_, index) => holds[index])
  return found.length === 1 ? found[0] : undefined
}

async function isSaidIn(path: string, marker: string): Promise<boolean> {
  const file = await openFile(path)
  if (!file) return false
  try {
    for await (const { bytes } of linesBackwards(file.handle, { before: file.size, maxBytes: MARKER_BYTES })) {
      if (!bytes.includes(marker)) continue
      const entry = readEntry(bytes)
      // Only as a person's words: a tool that looked through other transcripts brings the marker into its own.
      if (entry?.type !== 'user' || entry.isMeta) continue
      if (entry.content.some(({ type, text }) => type === 'text' && String(text).includes(marker))) return true
    }
    return false
  } finally {
    await file.handle.close()
  }
}

/** Whether the conversation began with `/clear`: then it goes on from another one, in the same process. */
export async function beginsWithClear(path: string): Promise<boolean> {
  const file = await openFile(path)
  if (!file) return false
  try {
    const head = (await readAt(file.handle, 0, HEAD_BYTES)).toString('utf8').split('\n')
    const first = head.map((line) => readEntry(line)).find((entry) => entry?.type === 'user' && !entry.isMeta)
    return first?.type === 'user' && first.content.some(({ text }) => String(text).startsWith(CLEAR))
  } finally {
    await file.handle.close()
  }
}

async function foldersOf(projects: string, cwd: string | undefined): Promise<string[]> {
  return cwd === undefined ? projectFolders(projects) : namesOf(cwd)
}

/** Claude Code names the folder after the real path; a shell may have come to it over a link. */
async function namesOf(cwd: string): Promise<string[]> {
  const real = await realpath(cwd).catch(() => cwd)
  return [...new Set([real, cwd].map(projectFolderName))]
}
