import {
  fitsFilter,
  type HistoryChoices,
  type HistoryPage,
  type HistoryQuery,
  type HistoryRecord,
  historyFacts,
} from '@holdpoint/core/history'
import { recordSize } from '@holdpoint/core/size-of'
import type { SessionId } from '@holdpoint/schema/id'

/** A settled ask with its session's folder. */
export interface PastAsk {
  readonly record: HistoryRecord
  readonly project: string
}

function isOf(sessionIds: readonly SessionId[] | undefined) {
  return ({ record }: PastAsk) => sessionIds?.includes(record.ask.sessionId) ?? true
}

/** `asks`: all settled ones, newest first. */
export function historyPage(asks: readonly PastAsk[], query: HistoryQuery): HistoryPage {
  const { before = Number.POSITIVE_INFINITY, limit, size = Number.POSITIVE_INFINITY } = query
  const fitting = asks
    .filter(isOf(query.sessionIds))
    .filter(({ record, project }) => record.seq < before && fitsFilter(historyFacts(record, project), query))
  const records: HistoryRecord[] = []
  let length = 0
  for (const { record } of fitting) {
    const last = records.at(-1)
    if (last && (records.length === limit || length >= size)) return { records, next: last.seq }
    records.push(record)
    length += recordSize(record)
  }
  return { records }
}

export function historyChoices(asks: readonly PastAsk[], sessionIds: readonly SessionId[] | undefined): HistoryChoices {
  const facts = asks.filter(isOf(sessionIds)).map(({ record, project }) => historyFacts(record, project))
  const values = (name: 'tool' | 'project') =>
    [...new Set(facts.map((each) => each[name]))].filter((value) => value !== '').sort()
  const names = new Map<string, string>()
  for (const { device, deviceName } of facts.toReversed()) if (device !== '') names.set(device, deviceName)
  const devices = Array.from(names, ([id, name]) => ({ id, name })).sort(byName)
  return { tools: values('tool'), projects: values('project'), devices }
}

type Named = HistoryChoices['devices'][number]
function byName(a: Named, b: Named): number {
  const [left, right] = [`${a.name} ${a.id}`, `${b.name} ${b.id}`]
  return left < right ? -1 : left > right ? 1 : 0
}
