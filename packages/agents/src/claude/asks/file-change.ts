import { readlink } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import type { AskFile, ToolInput } from '@holdpoint/schema/ask'
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import { bytesHash, fileHash } from '../../files/file-hash.ts'
import { isFixedPlace } from '../../files/fixed-place.ts'
import { readBytes } from '../../files/read-bytes.ts'
import { realPlace } from '../../files/real-place.ts'
import { type EditedText, editedText } from './edit-rules.ts'
import { decodeFile, encodeEdit, encodeWrite, type FileText, NO_FILE } from './file-text.ts'
import { type NotebookChange, notebookChange } from './notebook-rules.ts'

/** What a call would do to a file, and the file that it would do it to. */
export interface FileChange {
  readonly file?: AskFile
  /** What cannot be told, in plain sentences: what the file will hold, or what it holds now. */
  readonly unknown?: string
  readonly diff?: string
  /** Why there is no diff. */
  readonly diffOmitted?: string
}

const SIZE_LIMIT = 1024 * 1024
/** Notebooks have pictures in them; of theirs, one cell is compared. */
const NOTEBOOK_LIMIT = 16 * SIZE_LIMIT
const TIME_LIMIT_MS = 300
const RESULT_UNKNOWN = 'What this edit will write is not known.'

/** The file that a call changes, as it names it; undefined for other tools. Relative where the folder is not known. */
export function namedFile(tool: string, input: Readonly<ToolInput>, cwd: string | undefined): string | undefined {
  const named = tool === 'NotebookEdit' ? input.notebook_path : input.file_path
  if (!['Edit', 'Write', 'NotebookEdit', 'MultiEdit'].includes(tool) || typeof named !== 'string') return undefined
  return cwd === undefined && !isAbsolute(named) ? named : resolve(cwd ?? '/', named)
}

/** Undefined as well where the path leads elsewhere for the agent than for us: what we see there says nothing. */
async function fixedPlace(path: string): Promise<string | undefined> {
  return (await isFixedPlace(path)) ? realPlace(path) : undefined
}

/** The change that a call makes, by the agent's own rules and against the file as it is now. None for other tools. */
export async function fileChange(
  tool: string,
  input: Readonly<ToolInput>,
  cwd: string | undefined,
): Promise<FileChange | undefined> {
  const named = namedFile(tool, input, cwd)
  if (named === undefined) return undefined
  if (!isAbsolute(named)) {
    const why = 'the folder that the path starts from is not known'
    return untold(tool, { unknown: 'The folder that the path starts from is not known.' }, why)
  }
  const path = await fixedPlace(named)
  if (path === undefined) {
    const why = 'the location of the file cannot be determined'
    return untold(
      tool,
      { unknown: `The location of ${named} cannot be determined: it is not compared when you answer.` },
      why,
    )
  }
  const link = await readlink(path).catch(() => undefined)
  if (link !== undefined) {
    return untold(tool, await bound(path), `this is a link to ${link}, and Claude Code does not write to links`)
  }
  const found = await readBytes(path, tool === 'NotebookEdit' ? NOTEBOOK_LIMIT : SIZE_LIMIT)
  if ('why' in found) return untold(tool, await bound(path), `the file ${found.why}`)
  return changeOf({ tool, input, path, bytes: found.bytes })
}

/** A `Write` writes what it says. Of any other call only the input is left to show. */
function untold(tool: string, { file, unknown }: Pick<FileChange, 'file' | 'unknown'>, why: string): FileChange {
  const untold = [...(tool === 'Write' ? [] : [RESULT_UNKNOWN]), ...(unknown === undefined ? [] : [unknown])]
  return { ...(file && { file }), ...(untold.length > 0 && { unknown: untold.join(' ') }), diffOmitted: why }
}

function changeOf(call: {
  readonly tool: string
  readonly input: Readonly<ToolInput>
  readonly path: string
  readonly bytes: Buffer | undefined
}): FileChange {
  const { tool, input, path, bytes } = call
  const file: AskFile = { path, use: 'edits', sha256: bytes ? bytesHash(bytes) : null }
  const before = bytes ? decodeFile(bytes) : NO_FILE
  if (!before) return untold(tool, { file }, 'the file is not text')
  if (tool === 'NotebookEdit') {
    const change = notebookChange(before.text, input)
    return 'why' in change ? untold(tool, { file }, change.why) : { file, ...notebookDiff(change) }
  }
  const after = resultOf(tool, input, before)
  if ('why' in after) return untold(tool, { file }, after.why)
  const shown = diffBetween(path, bytes, after.bytes, before.encoding)
  return { file: { ...file, after: bytesHash(after.bytes) }, ...shown }
}

/** What the file holds after the call, by Claude Code's own rules, or why that cannot be told. */
export function resultOf(
  tool: string,
  input: Readonly<ToolInput>,
  before: FileText,
): { readonly bytes: Buffer } | { readonly why: string } {
  const { content, old_string: oldString, new_string: newString, replace_all: replaceAll } = input
  if (tool === 'Write' && typeof content === 'string') return { bytes: encodeWrite(content, before) }
  if (tool !== 'Edit' || typeof oldString !== 'string' || typeof newString !== 'string') {
    return { why: 'the call has an unknown form' }
  }
  const edited: EditedText = editedText(before.text, { oldString, newString, replaceAll: replaceAll === true })
  return 'why' in edited ? edited : { bytes: encodeEdit(edited.text, before) }
}

function diffBetween(path: string, before: Buffer | undefined, after: Buffer, encoding: BufferEncoding) {
  if (after.length > 2 * SIZE_LIMIT) return { diffOmitted: 'the new content is too large to compare' }
  const names = { from: before ? path : '/dev/null', to: path }
  return diffOf(names, before?.toString(encoding) ?? '', after.toString(encoding))
}

/** Of the cell alone: Claude Code lays out the whole file anew, which says nothing. */
function notebookDiff({ cell, before, after }: NotebookChange) {
  return diffOf({ from: cell, to: cell }, before, after)
}

function diffOf({ from, to }: { readonly from: string; readonly to: string }, before: string, after: string) {
  const options = { context: 3, timeout: TIME_LIMIT_MS, headerOptions: FILE_HEADERS_ONLY }
  const diff = createTwoFilesPatch(from, to, before, after, undefined, undefined, options)
  if (diff === undefined) return { diffOmitted: 'the change is too large to compare' }
  return { diff }
}

async function bound(path: string): Promise<Pick<FileChange, 'file' | 'unknown'>> {
  const now = await fileHash(path)
  if ('why' in now) return { unknown: `${path} ${now.why}: it is not compared when you answer.` }
  return { file: { path, use: 'edits', sha256: now.sha256 } }
}
