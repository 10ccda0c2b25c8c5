import { readlink } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import type { AskFile, ToolInput } from '@holdpoint/schema/ask'
import { createTwoFilesPatch } from 'diff'
import { bytesHash, fileHash } from '../files/file-hash.ts'
import { readBytes } from '../files/read-bytes.ts'
import { type EditedText, editedText } from './edit-rules.ts'
import { decodeFile, encodeEdit, encodeWrite, type FileText, NO_FILE } from './file-text.ts'

/** What a call would do to a file, and the file that it would do it to. */
export interface FileChange {
  readonly file?: AskFile
  /** Why the file's content cannot be bound: one plain sentence. */
  readonly unknown?: string
  readonly diff?: string
  /** Why there is no diff. */
  readonly diffOmitted?: string
}

const SIZE_LIMIT = 1024 * 1024
const TIME_LIMIT_MS = 300

/** The change that a call makes, by the agent's own rules and against the file as it is now. None for other tools. */
export async function fileChange(
  tool: string,
  input: Readonly<ToolInput>,
  cwd: string | undefined,
): Promise<FileChange | undefined> {
  const named = tool === 'NotebookEdit' ? input.notebook_path : input.file_path
  if (!['Edit', 'Write', 'NotebookEdit', 'MultiEdit'].includes(tool) || typeof named !== 'string') return undefined
  if (!isAbsolute(named) && cwd === undefined) {
    const why = 'the folder that the path starts from is not known'
    return { diffOmitted: why, unknown: 'The folder that the path starts from is not known.' }
  }
  const path = resolve(cwd ?? '/', named)
  const link = await readlink(path).catch(() => undefined)
  if (link !== undefined) {
    return { ...(await bound(path)), diffOmitted: `this is a link to ${link}, and Claude Code does not write to links` }
  }
  if (tool === 'NotebookEdit' || tool === 'MultiEdit') {
    const diffOmitted = 'it is not known how Claude Code will lay out the file; what it puts there is in the input'
    return { ...(await bound(path)), diffOmitted }
  }
  const found = await readBytes(path, SIZE_LIMIT)
  if ('why' in found) return { ...(await bound(path)), diffOmitted: `the file ${found.why}` }
  return changeOf({ tool, input, path, bytes: found.bytes })
}

function changeOf(call: {
  readonly tool: string
  readonly input: Readonly<ToolInput>
  readonly path: string
  readonly bytes: Buffer | undefined
}): FileChange {
  const { path, bytes } = call
  const file: AskFile = { path, use: 'edits', sha256: bytes ? bytesHash(bytes) : null }
  const before = bytes ? decodeFile(bytes) : NO_FILE
  if (!before) return { file, diffOmitted: 'the file is not text' }
  const after = resultOf(call.tool, call.input, before)
  if ('why' in after) return { file, diffOmitted: after.why }
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
    return { why: 'the call has a form that is not known here' }
  }
  // Measured for neither: how CR in the new text comes out between CRLF.
  if (newString.includes('\r') && before.lineEnd === '\r\n') return { why: 'the new text has line ends of two kinds' }
  const edited: EditedText = editedText(before.text, { oldString, newString, replaceAll: replaceAll === true })
  return 'why' in edited ? edited : { bytes: encodeEdit(edited.text, before) }
}

function diffBetween(path: string, before: Buffer | undefined, after: Buffer, encoding: BufferEncoding) {
  if (after.length > 2 * SIZE_LIMIT) return { diffOmitted: 'the new content is too large to compare' }
  const from = before?.toString(encoding) ?? ''
  const diff = createTwoFilesPatch(
    before ? path : '/dev/null',
    path,
    from,
    after.toString(encoding),
    undefined,
    undefined,
    {
      context: 3,
      timeout: TIME_LIMIT_MS,
    },
  )
  if (diff === undefined) return { diffOmitted: 'the change is too large to compare' }
  // The library puts a line above the two names that says nothing.
  return { diff: diff.replace(/^(?:Index: .*\n)?=+\n/, '') }
}

async function bound(path: string): Promise<Pick<FileChange, 'file' | 'unknown'>> {
  const now = await fileHash(path)
  if ('why' in now) return { unknown: `${path} ${now.why}: it is not compared when you answer.` }
  return { file: { path, use: 'edits', sha256: now.sha256 } }
}
