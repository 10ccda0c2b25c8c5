import { isOfLife } from '@holdpoint/core/remembering'
import { awaitsDelivery, type Undelivered, undeliveredOf } from '@holdpoint/core/session-view'
import type { ChainFault, LiveSession } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import { refuseDamaged } from '../record-damage.ts'
import { readSession, type SessionRow } from '../session-row.ts'
import type { Query } from './database.ts'
import {
  type AskRow,
  askRecord,
  eventColumns,
  eventOf,
  type ItemRow,
  itemOf,
  joinedRow,
  SELECT_ASK,
  SELECT_SESSION,
} from './rows.ts'

/** Asks that are in memory at a time: together they may be far more than fits. */
const ASKS_AT_ONCE = 50

/** What a session's fold starts from. In a snapshot: another gateway may write to it at this moment. */
export async function readLiveSession(
  query: Query,
  id: SessionId,
  damaged: ReadonlyMap<string, ChainFault>,
): Promise<LiveSession | undefined> {
  const [row] = await query<SessionRow & Record<string, unknown>>(`${SELECT_SESSION} WHERE id = $1`, [id])
  if (!row) return undefined
  const session = readSession(row, damaged.get(id))
  const asks: Ask[] = []
  const undelivered = new Map<AskId, Undelivered>()
  for (let after = 0, page: readonly AskRow[]; ; after = page.at(-1)?.raisedSeq ?? after) {
    page = await query<AskRow>(SELECT_ASKS, [id, session.epoch, after, ASKS_AT_ONCE])
    if (page.length > 0) refuseDamaged(id, damaged)
    for (const { ask, outcome } of page.map(askRecord)) {
      if (!outcome) asks.push(ask)
      else if (awaitsDelivery(outcome)) undelivered.set(ask.id, undeliveredOf(ask, outcome))
    }
    if (page.length < ASKS_AT_ONCE) break
  }
  const rules = await query<{ place: number } & Record<string, unknown>>(SELECT_RULES, [id])
  const messages = await query<ItemRow>(SELECT_MESSAGES, [id])
  if (rules.length + messages.length > 0) refuseDamaged(id, damaged)
  return {
    session,
    seq: row.seq,
    checkpoint: row.checkpoint,
    asks,
    undelivered,
    rules: rules
      .map((rule) => eventOf(joinedRow(rule, 'e_'), 'rule-added', rule.place).rule)
      .filter((rule) => isOfLife(rule, session)),
    messages: messages.map((item) => itemOf(item) as MessageItem),
  }
}

const SELECT_ASKS = `${SELECT_ASK} WHERE a.session_id = $1 AND a.raised_seq > $3
  AND (a.settled_seq IS NULL OR (a.epoch = $2 AND a.delivered_seq IS NULL)) ORDER BY a.raised_seq LIMIT $4`
const SELECT_RULES = `SELECT u.added_seq AS place, ${eventColumns('e', 'e_')}
  FROM rules u LEFT JOIN events e ON e.seq = u.added_seq WHERE u.session_id = $1 AND u.removed_seq IS NULL ORDER BY u.added_seq`
const SELECT_MESSAGES = `SELECT i.id, i.seq AS place, i.status, ${eventColumns('e', 'e_')} FROM (
    SELECT id, seq, status FROM items WHERE session_id = $1 AND status = 'queued'
    UNION ALL
    (SELECT id, seq, status FROM items WHERE session_id = $1 AND status = 'sent' ORDER BY status_seq DESC LIMIT 1)
  ) AS i LEFT JOIN events e ON e.seq = i.seq ORDER BY i.seq`
