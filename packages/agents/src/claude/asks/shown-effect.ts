import type { RanTool } from '@holdpoint/core/driver'
import type { Ask, AskFile, ToolInput } from '@holdpoint/schema/ask'
import { bytesHash, fileHash } from '../../files/file-hash.ts'
import { diffTells } from './diff-tells.ts'
import { resultOf } from './file-change.ts'
import type { FileText } from './file-text.ts'
import { notebookChange } from './notebook-rules.ts'

/** How a file that Claude Code reports with LF and as text may stand on the disk. */
const FORMS: readonly Omit<FileText, 'text'>[] = (['utf8', 'utf16le'] as const).flatMap((encoding) =>
  (['\n', '\r\n'] as const).map((lineEnd) => ({ encoding, lineEnd })),
)

type Report = Readonly<Record<string, unknown>>

/**
 * Why an edit did something else to its file than the ask showed, if it did. The file itself may be somebody else's work
 * by now: a formatter, the next call. So where it is not what it has to be, the agent's own report decides: on which text
 * the call ran, and what it changed there. An edit that our rules cannot explain was not shown either.
 */
export async function whyNotAsShown(ask: Ask, ran: RanTool): Promise<string | undefined> {
  const file = ask.files?.find(({ use }) => use === 'edits')
  if (!file || typeof ran.response !== 'object' || ran.response === null) return undefined
  const report = ran.response as Report
  if (ran.name === 'NotebookEdit') return whyNotThatCell(ask, ran, file, report)
  if (ran.name !== 'Edit') return undefined
  const now = await fileHash(file.path)
  const hash = 'sha256' in now ? now.sha256 : undefined
  if (file.after !== undefined && hash === file.after) return undefined
  const original = typeof report.originalFile === 'string' ? report.originalFile : ''
  const results = FORMS.map((form) => resultOf(ran.name, ran.input as ToolInput, { text: original, ...form }))
  const hashes = results.map((result) => ('bytes' in result ? bytesHash(result.bytes) : undefined))
  if (file.after !== undefined && !hashes.includes(file.after)) return notAsItWas(ran, file)
  const [plain] = results
  if (!plain || 'why' in plain) return anotherWay(ran, file, 'than can be explained')
  if (typeof hash === 'string' && hashes.includes(hash)) return undefined
  const isReported = isReportOf(report.structuredPatch, original, plain.bytes.toString())
  return isReported ? undefined : anotherWay(ran, file, 'than was shown')
}

function whyNotThatCell(ask: Ask, ran: RanTool, file: AskFile, report: Report): string | undefined {
  const { original_file: original, updated_file: updated } = report
  if (typeof original !== 'string' || typeof updated !== 'string') return anotherWay(ran, file, 'than can be explained')
  const change = notebookChange(original, ran.input as ToolInput)
  if ('why' in change) return anotherWay(ran, file, 'than can be explained')
  const { diff } = ask.context
  if (diff !== undefined && !diffTells(diff, { name: change.cell, ...change })) return notAsItWas(ran, file)
  return change.isMadeIn(updated) ? undefined : anotherWay(ran, file, 'than was shown')
}

function notAsItWas({ name }: RanTool, { path }: AskFile): string {
  return `${path} was not as it was shown when ${name} changed it`
}

function anotherWay({ name }: RanTool, { path }: AskFile, than: string): string {
  return `${name} changed ${path} in another way ${than}`
}

/**
 * Whether the agent's own diff says so: lines before and lines added are lines after and lines removed. Where several
 * diffs tell the same change, it may have another than we would. It turns tabs into blanks and loses the end of a file:
 * only letters count. It has no lines where it took too long.
 */
function isReportOf(patch: unknown, before: string, after: string): boolean {
  if (!Array.isArray(patch) || patch.length === 0) return true
  const lines = patch.flatMap((hunk: { lines?: unknown }) => (Array.isArray(hunk?.lines) ? hunk.lines.map(String) : []))
  const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1))
  const left = new Map<string, number>()
  for (const line of [...before.split('\n'), ...marked('+')]) count(left, line, 1)
  for (const line of [...after.split('\n'), ...marked('-')]) count(left, line, -1)
  return left.size === 0
}

function count(left: Map<string, number>, line: string, by: 1 | -1) {
  const letters = line.replace(/\s/g, '')
  if (letters === '') return
  const now = (left.get(letters) ?? 0) + by
  if (now === 0) left.delete(letters)
  else left.set(letters, now)
}
