import type { ArchivedPart, InSteps, Retirable, RetirableQuery, Retirement } from '@holdpoint/core/retirement'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { type LogRow, readRow, sha256 } from './log-row.ts'
import { type AskEntry, newEntry, type SessionEntry } from './memory-index.ts'
import { archiveOf, type RetiredRow, saysRetired } from './retired-row.ts'

/** An archive in memory: the texts of the events, by their places. */
interface Kept extends RetiredRow {
  readonly texts: ReadonlyMap<number, string>
}

/** How sessions leave a log that is in memory: in one step each, so nothing is ever unfinished. */
export function createMemoryRetirement(deps: {
  readonly log: LogRow[]
  readonly sessions: Map<SessionId, SessionEntry>
  readonly asks: Map<AskId, AskEntry>
  readonly assertOpen: () => void
}) {
  const { log, sessions, asks } = deps
  const retired = new Map<SessionId, Kept>()
  const written = new Map<string, Kept>()

  function whole(row: LogRow): LogRow {
    const text = row.data === '' ? retired.get(row.sessionId)?.texts.get(row.seq) : undefined
    return text === undefined ? row : { ...row, data: text }
  }

  function rowsOf(id: SessionId): readonly LogRow[] {
    return (sessions.get(id)?.seqs ?? []).flatMap((seq) => log[seq - 1] ?? [])
  }

  function setText(row: LogRow, data: string) {
    log[row.seq - 1] = { ...row, data }
  }

  function find(id: SessionId, fits: (row: LogRow) => boolean): LogRow | undefined {
    return rowsOf(id).find((row) => row.data !== '' && fits(row))
  }

  const retirement: Retirement = {
    async list({ before, after, limit }: RetirableQuery) {
      deps.assertOpen()
      const all = [...sessions]
        .filter(([id, entry]) => entry.state === 'dead' && entry.activityAt < before && !retired.has(id))
        .sort(([idA, a], [idB, b]) => a.activityAt - b.activityAt || (idA < idB ? -1 : 1))
      const from = after === undefined ? undefined : sessions.get(after as SessionId)
      const rest = all.filter(
        ([id, { activityAt }]) =>
          !from || activityAt > from.activityAt || (activityAt === from.activityAt && id > (after ?? '')),
      )
      const page = rest.slice(0, limit).map(
        ([, { data, activityAt, seq }]): Retirable => ({
          session: JSON.parse(data) as Session,
          activityAt,
          events: seq,
        }),
      )
      const last = page.at(-1)
      return last && page.length === limit ? { sessions: page, next: last.session.id } : { sessions: page }
    },

    async eventSize() {
      return log.reduce((sum, { data }) => sum + data.length, 0) / Math.max(log.length, 1)
    },

    async write(id: SessionId, _options?: InSteps) {
      deps.assertOpen()
      const entry = sessions.get(id)
      if (entry?.state !== 'dead' || retired.has(id)) return undefined
      const rows = rowsOf(id)
      for (const row of rows) readRow(row)
      const text = rows.map((row) => JSON.stringify(row)).join('\n')
      const sum = sha256(text)
      const archive = archiveOf(entry.activityAt)
      const texts = new Map(rows.map(({ seq, data }) => [seq, data]))
      written.set(sum, { sessionId: id, kind: 'archived', events: rows.length, archive, sum, isDone: true, texts })
      const { epoch } = JSON.parse(entry.data) as Session
      return { sessionId: id, epoch, archive, events: rows.length, head: entry.hash, sum, bytes: text.length }
    },

    async release({ sessionId, epoch, sum }: ArchivedPart) {
      const kept = written.get(sum)
      written.delete(sum)
      const entry = sessions.get(sessionId)
      if (!kept || entry?.state !== 'dead' || retired.has(sessionId)) return false
      if ((JSON.parse(entry.data) as Session).epoch !== epoch) return false
      if (!find(sessionId, (row) => saysRetired(readRow(row).event, kept))) return false
      retired.set(sessionId, kept)
      for (const row of rowsOf(sessionId)) if (kept.texts.has(row.seq)) setText(row, '')
      return true
    },

    async restore(id) {
      const kept = retired.get(id)
      if (kept?.kind !== 'archived') return false
      for (const row of rowsOf(id)) setText(row, whole(row).data)
      retired.delete(id)
      return true
    },

    async erase(id) {
      const told = find(id, ({ type }) => type === 'session-deleted')
      const entry = sessions.get(id)
      if (!told || !entry) return false
      for (const row of rowsOf(id)) if (row.seq < told.seq) setText(row, '')
      for (const ask of entry.asks.keys()) asks.delete(ask)
      for (const table of [entry.asks, entry.items, entry.requests, entry.rules]) table.clear()
      const none = { archive: '', sum: '', isDone: true, texts: new Map<number, string>() }
      retired.set(id, { sessionId: id, kind: 'deleted', events: told.sessionSeq - 1, ...none })
      return true
    },

    unfinished: async () => [],
    async finish() {},

    async erasedRows({ after, to }) {
      return log.slice(after, to).filter((row) => isErased(row))
    },

    async putErased(rows, records) {
      for (const row of rows) {
        const session = records.get(row.sessionId)
        if (row.seq !== log.length + 1 || !session)
          throw new Error(`event ${row.seq} does not go on from what is there`)
        const begin = { data: JSON.stringify(session), activityAt: session.startedAt, state: session.state }
        const entry = sessions.get(row.sessionId) ?? newEntry(begin)
        sessions.set(row.sessionId, entry)
        Object.assign(entry, { seq: row.sessionSeq, hash: row.hash, activityAt: row.at })
        entry.seqs.push(row.seq)
        log.push({ ...row, data: '' })
      }
    },
  }

  function isErased(row: LogRow): boolean {
    return row.data === '' && retired.get(row.sessionId)?.kind === 'deleted'
  }

  return { retirement, whole, isErased, isDeleted: (id: SessionId) => retired.get(id)?.kind === 'deleted' }
}
