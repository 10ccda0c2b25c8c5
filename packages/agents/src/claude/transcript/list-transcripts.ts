import { type OpenFile, openFile, readAt } from '../../files/open-file.ts'
import { shortText } from '../asks/short-text.ts'
import { personsWords } from '../sdk/persons-words.ts'
import { readEntry, type TitleEntry, type TranscriptEntry } from './entry.ts'
import { projectFolderName } from './project-folder.ts'
import { newestFirst, projectFolders, type SessionFile, sessionFiles } from './session-files.ts'

const HEAD_BYTES = 256 * 1024
const TAIL_BYTES = 64 * 1024
const NEWLINE = 0x0a

/** One conversation on this machine, as its file's head and tail tell it. */
export interface TranscriptSummary {
  readonly sessionId: string
  readonly path: string
  /** Absent when the head of the file does not say. */
  readonly cwd?: string
  /** Given by a person or by Claude Code; else the first prompt. */
  readonly title: string
  readonly modifiedAt: number
  readonly size: number
}

export interface ListOptions {
  readonly limit?: number
  /** From the page before. */
  readonly after?: string
  /** Part of a folder's path. Compared as Claude Code names its folders: whatever is no letter or digit is the same. */
  readonly folder?: string
}

export interface TranscriptPage {
  readonly transcripts: readonly TranscriptSummary[]
  /** Absent on the last page. */
  readonly next?: string
}

/** The machine's conversations, newest first. Reads a bounded part of the files on the page, and nothing of the others. */
export async function listTranscripts(projects: string, options: ListOptions = {}): Promise<TranscriptPage> {
  const { limit = 50 } = options
  const wanted = projectFolderName(options.folder ?? '').toLowerCase()
  const folders = (await projectFolders(projects)).filter((name) => name.toLowerCase().includes(wanted))
  const files = (await sessionFiles(projects, folders)).filter(isAfter(options.after))
  const transcripts: TranscriptSummary[] = []
  for (const [index, file] of files.entries()) {
    const summary = await summarise(file)
    // A file in which nobody has said anything is no conversation.
    if (summary) transcripts.push(summary)
    if (transcripts.length >= limit && index < files.length - 1) return { transcripts, next: cursorOf(file) }
  }
  return { transcripts }
}

function cursorOf({ modifiedAt, path }: SessionFile): string {
  return `${modifiedAt}:${path}`
}

/** After the last one of the page before, in the same order; one that has changed since comes first, not here. */
function isAfter(cursor: string | undefined): (file: SessionFile) => boolean {
  const [, modifiedAt, path] = /^([\d.]+):(.*)$/s.exec(cursor ?? '') ?? []
  if (modifiedAt === undefined || path === undefined) return () => true
  const last = { modifiedAt: Number(modifiedAt), path } as SessionFile
  return (file) => newestFirst(last, file) < 0 && file.path !== last.path
}

async function summarise(file: SessionFile): Promise<TranscriptSummary | undefined> {
  const opened = await openFile(file.path)
  if (!opened) return undefined
  try {
    const head = await entriesIn(opened, 0, HEAD_BYTES)
    const tail = opened.size > HEAD_BYTES ? await entriesIn(opened, opened.size - TAIL_BYTES, TAIL_BYTES) : head
    const title = titleOf([...head, ...tail])
    if (title === undefined) return undefined
    const cwd = head.find((entry) => entry.cwd !== undefined)?.cwd
    const { sessionId, path, modifiedAt, size } = file
    return { sessionId, path, ...(cwd !== undefined && { cwd }), title, modifiedAt, size }
  } finally {
    await opened.handle.close()
  }
}

function titleOf(entries: readonly TranscriptEntry[]): string | undefined {
  const given = (source: TitleEntry['source']) =>
    entries.findLast(
      (entry): entry is TitleEntry => entry.type === 'title' && entry.source === source && entry.title !== '',
    )
  const title = (given('person') ?? given('agent') ?? given('summary'))?.title
  const words = title ?? entries.map(promptOf).find((prompt) => prompt !== undefined) ?? given('last-prompt')?.title
  return words === undefined ? undefined : shortText(words)
}

function promptOf(entry: TranscriptEntry): string | undefined {
  if (entry.type !== 'user' || entry.isMeta || entry.isCompactSummary || entry.agentId !== undefined) return undefined
  const [first] = personsWords(entry.content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n'))
  return first?.type === 'message' ? first.text : undefined
}

/** The whole lines between two positions; what is cut off at their borders is no entry. */
async function entriesIn({ handle }: OpenFile, from: number, length: number): Promise<TranscriptEntry[]> {
  const bytes = await readAt(handle, from, length)
  const entries: TranscriptEntry[] = []
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline < 0 ? bytes.length : newline
    const entry = readEntry(bytes.subarray(start, end))
    if (entry) entries.push(entry)
    start = end + 1
  }
  return entries
}
