import { isChanged } from '@holdpoint/core/session-view'
import type { Append, AppendResult } from '@holdpoint/core/store'
import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import type { EncodedAppend } from '../encoded-append.ts'
import { FIRST_HASH, rowHash } from '../log-row.ts'
import { activityAfter } from '../retired-row.ts'
import { type SessionHead, sessionSum } from '../session-row.ts'
import type { SqlParameter } from './database.ts'
import { keyOf } from './rows.ts'

/** A session's row as this gateway last saw it. `sum` names all of it. */
export interface KnownHead extends SessionHead {
  readonly sum: string
}

/** An append as it is sent: its rows follow from the head that it expects. */
export interface SentAppend {
  readonly append: Append
  /** Its number in the call. */
  readonly index: number
  readonly base: KnownHead | undefined
  readonly isFirst: boolean
  readonly head: KnownHead
  readonly rows: readonly Omit<Stored, 'seq'>[]
}

/** What is sent of a call, and the conflicts that are known without asking. */
export interface Draft {
  readonly sent: readonly SentAppend[]
  readonly results: readonly (AppendResult | undefined)[]
  /** For the arrays of `append`. */
  readonly values: readonly SqlParameter[]
}

/** `headOf`: where each session stands, undefined for one that does not exist. */
export function draftAppends(
  encoded: readonly EncodedAppend[],
  headOf: (id: SessionId) => KnownHead | undefined,
): Draft {
  const sent: SentAppend[] = []
  const results: (AppendResult | undefined)[] = []
  const arrays = new Arrays()
  /** By session and place. Of two appends for one place the first is the one that later ones most likely follow. */
  const heads = new Map<string, KnownHead>()
  const newest = new Map<SessionId, number>()
  for (const [index, each] of encoded.entries()) {
    const { append } = each
    const { sessionId, expectedSeq } = append
    const isFirst = !newest.has(sessionId)
    const stored = headOf(sessionId)
    const base = heads.get(`${sessionId} ${expectedSeq}`) ?? (stored?.seq === expectedSeq ? stored : undefined)
    const isNew = stored === undefined && expectedSeq === 0
    if (!base && !isNew) {
      results.push({ ok: false, seq: newest.get(sessionId) ?? stored?.seq ?? 0 })
      continue
    }
    results.push(undefined)
    const { head, rows } = arrays.add(each, base, isFirst)
    sent.push({ append, index, base, isFirst, head, rows })
    const place = `${sessionId} ${head.seq}`
    if (!heads.has(place) || head.seq === expectedSeq) heads.set(place, head)
    newest.set(sessionId, head.seq)
  }
  const isOneByOne = newest.size < sent.length
  return { sent, results, values: [isOneByOne, ...arrays.values()] }
}

/** One array for each column: PostgreSQL takes a table of rows as that. */
class Arrays {
  readonly #appends: SqlParameter[][] = []
  readonly #events: SqlParameter[][] = []
  readonly #changes: SqlParameter[][] = []

  add({ append, events, session }: EncodedAppend, base: KnownHead | undefined, isFirst: boolean) {
    const { sessionId } = append
    const changesBefore = this.#changes.length
    const rows: Omit<Stored, 'seq'>[] = []
    let sessionSeq = append.expectedSeq
    let hash = base?.hash ?? FIRST_HASH
    for (const [index, event] of append.events.entries()) {
      const { type, at } = event
      const row = { sessionId, sessionSeq: ++sessionSeq, type, data: events[index] as string, at, prevHash: hash }
      hash = rowHash(row)
      this.#events.push([this.#appends.length + 1, sessionSeq, type, at, row.prevHash, hash, row.data])
      const change = changeOf(event)
      if (change) this.#changes.push([this.#events.length, ...change])
      rows.push({ sessionSeq, hash, event })
    }
    const head = {
      seq: sessionSeq,
      hash,
      checkpoint: append.checkpoint ?? base?.checkpoint ?? 0,
      activityAt: activityAfter(append.events, base?.activityAt ?? append.session.startedAt),
      state: append.session.state,
    }
    const sum = sessionSum({ id: sessionId, ...head, data: session })
    const { projectId, vendorSessionId } = append.session
    this.#appends.push([
      sessionId,
      append.expectedSeq,
      base?.sum ?? null,
      isFirst,
      append.authority ?? null,
      append.events.length,
      this.#changes.length - changesBefore,
      head.seq,
      hash,
      head.checkpoint,
      head.activityAt,
      head.state,
      keyOf(projectId),
      vendorSessionId === undefined ? null : keyOf(vendorSessionId),
      session,
      sum,
    ])
    return { head: { ...head, sum }, rows }
  }

  values(): SqlParameter[] {
    return [...columns(this.#appends, 16), ...columns(this.#events, 7), ...columns(this.#changes, 7)]
  }
}

function columns(rows: readonly (readonly SqlParameter[])[], width: number): SqlParameter[] {
  return Array.from({ length: width }, (_, n) => rows.map((row) => row[n] as string | number | boolean | null))
}

type Change = readonly [
  kind: string,
  id: string,
  epoch: number | null,
  request: string | null,
  call: string | null,
  status: string | null,
]

/** What an event changes in the tables, as `change_table` reads it. */
function changeOf(event: DurableEvent): Change | undefined {
  const change = (kind: string, id: string, status: string | null = null): Change => [
    kind,
    id,
    null,
    null,
    null,
    status,
  ]
  switch (event.type) {
    case 'ask-raised': {
      const { id, epoch, requestId, toolUseId } = event.ask
      return ['raise', id, epoch, keyOf(requestId), toolUseId === undefined ? null : keyOf(toolUseId), null]
    }
    case 'ask-settled':
      return change('settle', event.askId, isChanged(event.outcome) ? 'changed' : null)
    case 'ask-delivered':
      return change('deliver', event.askId)
    case 'item-added':
      return change('add-item', event.item.id, (event.item.type === 'message' && event.item.status) || null)
    case 'item-changed':
      return change('change-item', event.itemId, event.changes.status)
    case 'rule-added':
      return change('add-rule', event.rule.id)
    case 'rule-removed':
      return change('remove-rule', event.ruleId)
    default:
      return undefined
  }
}
