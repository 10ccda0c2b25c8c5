import type { RanTool } from '@holdpoint/core/driver'
import type { Ask, ToolInput } from '@holdpoint/schema/ask'
import { structuredPatch } from 'diff'
import { bytesHash, fileHash } from '../files/file-hash.ts'
import { resultOf } from './file-change.ts'
import type { FileText } from './file-text.ts'

/** How a file that Claude Code reports with LF and as text may stand on the disk. */
const FORMS: readonly Omit<FileText, 'text'>[] = (['utf8', 'utf16le'] as const).flatMap((encoding) =>
  (['\n', '\r\n'] as const).map((lineEnd) => ({ encoding, lineEnd })),
)

/**
 * Why an edit did something else to its file than the ask showed, if it did. The file itself may be somebody else's work
 * by now: a formatter, the next call. So where it is not what it has to be, the agent's own report decides: on which text
 * the call ran, and what it changed there.
 */
export async function whyNotAsShown(ask: Ask, ran: RanTool): Promise<string | undefined> {
  const file = ask.files?.find(({ use }) => use === 'edits')
  if (!file || typeof ran.response !== 'object' || ran.response === null) return undefined
  const report = ran.response as Readonly<Record<string, unknown>>
  if (ran.name === 'NotebookEdit') {
    const { original_file: original } = report
    if (typeof original !== 'string' || bytesHash(Buffer.from(original)) === file.sha256) return undefined
    return `${file.path} was not as it was shown when ${ran.name} changed it`
  }
  if (ran.name !== 'Edit' || file.after === undefined) return undefined
  const now = await fileHash(file.path)
  if ('sha256' in now && now.sha256 === file.after) return undefined
  const original = typeof report.originalFile === 'string' ? report.originalFile : ''
  const results = FORMS.map((form) => resultOf(ran.name, ran.input as ToolInput, { text: original, ...form }))
  const shown = results.find((result) => 'bytes' in result && bytesHash(result.bytes) === file.after)
  if (!shown) return `${file.path} was not as it was shown when ${ran.name} changed it`
  const [plain] = results
  const isReported = plain && 'bytes' in plain && isReportOf(report.structuredPatch, original, plain.bytes.toString())
  return isReported ? undefined : `${ran.name} changed ${file.path} in another way than was shown`
}

/** Whether the agent's own diff says so. It turns tabs into blanks and loses the end of a file: only letters count. */
function isReportOf(patch: unknown, before: string, after: string): boolean {
  if (!Array.isArray(patch)) return true
  const ours = structuredPatch('', '', before, after, undefined, undefined, { context: 3 }).hunks
  return lettersOf(patch) === lettersOf(ours)
}

function lettersOf(hunks: readonly { readonly lines?: unknown }[]): string {
  const lines = hunks.flatMap(({ lines: given }) => (Array.isArray(given) ? given.map(String) : []))
  return lines
    .filter((line) => /^[-+]/.test(line))
    .map((line) => line.replace(/\s/g, ''))
    .filter((line) => line.length > 1)
    .join('\n')
}
