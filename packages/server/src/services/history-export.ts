import { type AskTrail, type HistoryRecord, rulesOf } from '@holdpoint/core/history'
import { maskedValue, maskSecrets } from '@holdpoint/core/text/secrets'
import type { HistoryEntry } from '@holdpoint/schema/endpoints/history'
import type { SessionId } from '@holdpoint/schema/id'
import { publicOutcome } from '../stream/public-outcome.ts'

/** A settled ask with all that is known about it. */
export interface ExportedAsk {
  readonly record: HistoryRecord
  readonly trail: AskTrail | undefined
  readonly project: string
  readonly sessionTitle?: string | undefined
  readonly machine?: HistoryEntry['machine']
}

/** How an export is written: what stands first, a text for each ask, and what stands last. */
export interface ExportFormat {
  readonly contentType: string
  readonly begin: string
  ask(ask: ExportedAsk): string
  /** `heads`: the newest event of each session that was exported. */
  end(heads: ReadonlyMap<SessionId, AskTrail['head']>): string
}

const jsonl: ExportFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  begin: '',
  ask({ record, trail, project, sessionTitle, machine }) {
    const { ask, outcome, delivered, seq, hash } = record
    const { answer } = outcome
    const input = ask.tool?.input
    const hasSecret = JSON.stringify(maskedValue(input)) !== JSON.stringify(input)
    const unquoted = hasSecret ? withoutQuote : (value: object) => value
    return jsonLine({
      ask: { ...unquoted(ask), outcome: publicOutcome({ ...outcome, ...(answer && { answer: unquoted(answer) }) }) },
      project,
      sessionTitle,
      machine,
      waitedMs: outcome.at - ask.raisedAt,
      delivered,
      sightings: trail?.sightings ?? [],
      chain: { seq, hash },
    })
  },
  end: (heads) => Array.from(heads, ([session, head]) => jsonLine({ session, head })).join(''),
}

/** A rule quotes the input as one text, in which no field's name says what is secret: with a secret in the input it is left out. */
function withoutQuote(value: { readonly remember?: unknown }): object {
  const { remember, ...rest } = value
  if (typeof remember !== 'object' || remember === null) return value
  const { rule, ...kept } = remember as { readonly rule?: unknown }
  return { ...rest, remember: kept }
}

/** With secrets masked (T44): a file goes where the record does not. */
function jsonLine(value: unknown): string {
  return `${JSON.stringify(maskedValue(value))}\n`
}

type Columns = Readonly<Record<string, (ask: ExportedAsk) => string | number | undefined>>

/** Each column of the table. */
const COLUMNS: Columns = {
  settled: ({ record }) => new Date(record.outcome.at).toISOString(),
  raised: ({ record }) => new Date(record.ask.raisedAt).toISOString(),
  'waited seconds': ({ record }) => Math.round((record.outcome.at - record.ask.raisedAt) / 1000),
  outcome: ({ record }) => record.outcome.kind,
  by: ({ record }) => record.outcome.by?.name,
  device: ({ record }) => record.outcome.by?.device,
  via: ({ record }) => record.outcome.via,
  rule: ({ record }) => rulesOf(record.outcome).join(' '),
  message: ({ record }) => {
    const message = record.outcome.answer?.message
    return typeof message === 'string' ? message : record.outcome.reason
  },
  kind: ({ record }) => record.ask.kind,
  agent: ({ record }) => record.ask.agent,
  tool: ({ record }) => record.ask.tool?.name,
  title: ({ record }) => record.ask.title,
  command: ({ record }) => record.ask.context.command,
  path: ({ record }) => record.ask.context.filePath,
  address: ({ record }) => record.ask.context.url,
  project: ({ project }) => project,
  session: ({ sessionTitle }) => sessionTitle,
  'seen by': ({ trail }) => trail?.sightings.map(({ by, at }) => `${by.name} ${new Date(at).toISOString()}`).join('; '),
  'ask id': ({ record }) => record.ask.id,
  'session id': ({ record }) => record.ask.sessionId,
  event: ({ record }) => record.seq,
  hash: ({ record }) => record.hash,
}

/** Behind the others, where there are several machines. */
const MACHINE_COLUMNS: Columns = {
  machine: ({ machine }) => machine?.name,
  'machine id': ({ machine }) => machine?.id,
}

function csv(columns: Columns): ExportFormat {
  return {
    contentType: 'text/csv; charset=utf-8',
    begin: csvLine(Object.keys(columns)),
    ask: (ask) => csvLine(Object.values(columns).map((column) => column(ask))),
    end: () => '',
  }
}

export function exportFormat(name: 'jsonl' | 'csv', { withMachines }: { withMachines: boolean }): ExportFormat {
  return name === 'jsonl' ? jsonl : csv(withMachines ? { ...COLUMNS, ...MACHINE_COLUMNS } : COLUMNS)
}

function csvLine(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map((cell) => (typeof cell === 'string' ? csvCell(maskSecrets(cell)) : (cell ?? ''))).join(',')}\r\n`
}

/**
 * A cell that begins like a formula would be run as one by a spreadsheet: an apostrophe before it makes it text. Some also
 * look behind spaces and signs that take no place, and at wide forms of the same signs.
 */
export function csvCell(text: string): string {
  const isFormula = /^[\s\p{C}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u.test(text)
  return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`
}
