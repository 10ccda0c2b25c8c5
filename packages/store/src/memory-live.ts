import { isOfLife } from '@holdpoint/core/remembering'
import { awaitsDelivery, type Undelivered, undeliveredOf } from '@holdpoint/core/session-view'
import type { AskRecord, LiveSession } from '@holdpoint/core/store'
import type { AskId } from '@holdpoint/schema/id'
import type { Item, MessageItem } from '@holdpoint/schema/item'
import type { Rule } from '@holdpoint/schema/rule'
import type { Session } from '@holdpoint/schema/session'
import type { AskEntry, ItemEntry, SessionEntry } from './memory-index.ts'

interface Reads {
  readonly record: (entry: AskEntry) => AskRecord
  readonly item: (entry: ItemEntry) => Item
  readonly rule: (seq: number) => Rule
}

/** What a session's fold starts from. */
export function liveSessionOf(entry: SessionEntry, { record, item, rule }: Reads): LiveSession {
  const session = JSON.parse(entry.data) as Session
  const asks = [...entry.asks.values()]
  const undelivered = new Map<AskId, Undelivered>()
  for (const each of asks) {
    if (each.settledSeq === undefined || each.epoch !== session.epoch || each.delivered) continue
    const { ask, outcome } = record(each)
    if (outcome && awaitsDelivery(outcome)) undelivered.set(ask.id, undeliveredOf(ask, outcome))
  }
  const items = [...entry.items.values()]
  const lastSent = items.filter(({ status }) => status === 'sent').sort((a, b) => b.statusSeq - a.statusSeq)[0]
  const messages = items.filter((each) => each.status === 'queued' || each === lastSent)
  return {
    session,
    seq: entry.seq,
    checkpoint: entry.checkpoint,
    asks: asks.filter(({ settledSeq }) => settledSeq === undefined).map((each) => record(each).ask),
    undelivered,
    rules: [...entry.rules.values()]
      .flatMap((seq) => (seq ? [rule(seq)] : []))
      .filter((each) => isOfLife(each, session)),
    messages: messages.map((each) => item(each) as MessageItem),
  }
}
