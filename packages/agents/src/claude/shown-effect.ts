import type { RanTool } from '@holdpoint/core/driver'
import type { Ask, AskFile, ToolInput } from '@holdpoint/schema/ask'
import { structuredPatch } from 'diff'
import { bytesHash, fileHash } from '../files/file-hash.ts'
import { notebookDiff, resultOf } from './file-change.ts'
import type { FileText } from './file-text.ts'
import { notebookChange } from './notebook-rules.ts'

/** How a file that Claude Code reports with LF and as text may stand on the disk. */
const FORMS: readonly Omit<FileText, 'text'>[] = (['utf8', 'utf16le'] as const).flatMap((encoding) =>
  (['\n', '\r\n'] as const).map((lineEnd) => ({ encoding, lineEnd })),
)
const TIME_LIMIT_MS = 2_000

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
  if (diff !== undefined && notebookDiff(change).diff !== diff) return notAsItWas(ran, file)
  return change.isMadeIn(updated) ? undefined : anotherWay(ran, file, 'than was shown')
}

function notAsItWas({ name }: RanTool, { path }: AskFile): string {
  return `${path} was not as it was shown when ${name} changed it`
}

function anotherWay({ name }: RanTool, { path }: AskFile, than: string): string {
  return `${name} changed ${path} in another way ${than}`
}

/** Whether the agent's own diff says so. It turns tabs into blanks and loses the end of a file: only letters count. */
function isReportOf(patch: unknown, before: string, after: string): boolean {
  if (!Array.isArray(patch)) return true
  const ours = structuredPatch('', '', before, after, undefined, undefined, { context: 3, timeout: TIME_LIMIT_MS })
  return ours !== undefined && lettersOf(patch) === lettersOf(ours.hunks)
}

function lettersOf(hunks: readonly { readonly lines?: unknown }[]): string {
  const lines = hunks.flatMap(({ lines: given }) => (Array.isArray(given) ? given.map(String) : []))
  return lines
    .filter((line) => /^[-+]/.test(line))
    .map((line) => line.replace(/\s/g, ''))
    .filter((line) => line.length > 1)
    .join('\n')
}
