import {
  type AskTrail,
  fitsFilter,
  type HistoryChoices,
  type HistoryPage,
  type HistoryQuery,
  type HistoryRecord,
  historyFacts,
  isLetThrough,
  type LetThroughCounts,
  type LetThroughQuery,
  notifiedOf,
  type SessionPlace,
  sessionPlace,
} from '@holdpoint/core/history'
import { recordSize } from '@holdpoint/core/size-of'
import type { AskRecord } from '@holdpoint/core/store'
import type { Stored } from '@holdpoint/schema/event'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import type { SettledCall } from './memory-calls.ts'
import type { AskEntry, SessionEntry } from './memory-index.ts'

/** A settled ask with its session. */
interface PastAsk {
  readonly record: HistoryRecord
  readonly place: SessionPlace
  readonly session: Session
}

interface Kept {
  readonly asks: ReadonlyMap<AskId, AskEntry>
  readonly sessions: ReadonlyMap<SessionId, SessionEntry>
  readonly stored: (seq: number) => Stored
  readonly record: (entry: AskEntry) => AskRecord
}

/** The search over settled asks, without an index: a store in memory is small. */
export function createMemoryHistory({ asks, sessions, stored, record: read }: Kept) {
  function pastAsks(): PastAsk[] {
    const found = [...asks.values()].flatMap((entry): PastAsk[] => {
      const { outcome, ...record } = read(entry)
      if (!outcome || entry.settledSeq === undefined) return []
      const { seq, hash } = stored(entry.settledSeq)
      const session = JSON.parse(sessions.get(entry.sessionId)?.data ?? '{}') as Session
      return [{ record: { ...record, outcome, seq, hash }, place: sessionPlace(session), session }]
    })
    return found.sort((a, b) => b.record.seq - a.record.seq)
  }

  return {
    page: (query: HistoryQuery) => historyPage(pastAsks(), query),
    choices: (sessionIds: readonly SessionId[] | undefined) => historyChoices(pastAsks(), sessionIds),
    letThrough: (query: LetThroughQuery) => letThrough(pastAsks().filter(isOf(query.sessionIds)), query),
    /** Oldest first. */
    settledCalls: (): readonly SettledCall[] =>
      pastAsks()
        .toReversed()
        .map(({ record: { ask, outcome }, session }) => ({ ask, outcome, session })),
    trail(id: AskId): AskTrail | undefined {
      const ask = asks.get(id)
      const session = ask && sessions.get(ask.sessionId)
      if (!session) return undefined
      const last = ask.settledSeq ?? Number.MAX_SAFE_INTEGER
      const events = session.seqs.filter((seq) => seq < last).map((seq) => stored(seq).event)
      const seen = events.filter((event) => event.type === 'ask-seen')
      const sightings = seen.filter(({ askId }) => askId === id).map(({ by, at }) => ({ by, at }))
      const told = events.filter((event) => event.type === 'asks-notified')
      const notified = told.filter(({ askIds }) => askIds.includes(id)).map(notifiedOf)
      const { seq, hash } = stored(ask.settledSeq ?? ask.raisedSeq)
      const settled = ask.settledSeq === undefined ? {} : { settled: { seq, hash } }
      return { sightings, notified, ...settled, head: { sessionSeq: session.seq, hash: session.hash } }
    },
  }
}

function isOf(sessionIds: readonly SessionId[] | undefined) {
  return ({ record }: PastAsk) => sessionIds?.includes(record.ask.sessionId) ?? true
}

/** `asks`: all settled ones, newest first. */
function historyPage(asks: readonly PastAsk[], query: HistoryQuery): HistoryPage {
  const { before = Number.POSITIVE_INFINITY, limit, size = Number.POSITIVE_INFINITY } = query
  const fitting = asks
    .filter(isOf(query.sessionIds))
    .filter(({ record, place }) => record.seq < before && fitsFilter(historyFacts(record, place), query))
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

function historyChoices(asks: readonly PastAsk[], sessionIds: readonly SessionId[] | undefined): HistoryChoices {
  const facts = asks.filter(isOf(sessionIds)).map(({ record, place }) => historyFacts(record, place))
  const values = (name: 'tool' | 'project') =>
    [...new Set(facts.map((each) => each[name]))].filter((value) => value !== '').sort()
  const names = new Map<string, string>()
  for (const { device, deviceName } of facts.toReversed()) if (device !== '') names.set(device, deviceName)
  const devices = Array.from(names, ([id, name]) => ({ id, name })).sort(byName)
  return { tools: values('tool'), projects: values('project'), devices }
}

/** `asks`: newest first. */
function letThrough(asks: readonly PastAsk[], { from, to }: LetThroughQuery): LetThroughCounts {
  const passed = asks
    .map(({ record, place }) => ({ id: record.ask.id, facts: historyFacts(record, place) }))
    .filter(({ facts }) => isLetThrough(facts) && facts.at >= from && facts.at < to)
  const rules = new Map<string, LetThroughCounts['rules'][number]>()
  for (const { id, facts } of passed) {
    for (const rule of facts.rules) {
      const { calls = 0, latest = id } = rules.get(rule) ?? {}
      rules.set(rule, { rule, calls: calls + 1, latest })
    }
  }
  return { calls: passed.length, rules: [...rules.values()] }
}

type Named = HistoryChoices['devices'][number]
function byName(a: Named, b: Named): number {
  const [left, right] = [`${a.name} ${a.id}`, `${b.name} ${b.id}`]
  return left < right ? -1 : left > right ? 1 : 0
}
