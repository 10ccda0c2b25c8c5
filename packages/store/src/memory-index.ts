import { isChanged } from '@holdpoint/core/session-view'
import type { Append } from '@holdpoint/core/store'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { AskId, ItemId, RuleId, SessionId } from '@holdpoint/schema/id'
import type { MessageItem } from '@holdpoint/schema/item'
import type { SessionState } from '@holdpoint/schema/session'
import { FIRST_HASH } from './log-row.ts'

export interface AskEntry {
  readonly id: AskId
  readonly sessionId: SessionId
  readonly epoch: number
  readonly requestId: string
  readonly toolUseId: string | undefined
  readonly raisedSeq: number
  settledSeq?: number
  /** Withdrawn as changed: another ask may have the same request. */
  changed: boolean
  delivered: boolean
}

export interface ItemEntry {
  readonly seq: number
  status: MessageItem['status']
  /** The event that gave it its status. */
  statusSeq: number
}

export interface SessionEntry {
  data: string
  seq: number
  hash: string
  checkpoint: number
  activityAt: number
  state: SessionState
  readonly seqs: number[]
  /** In the order they were raised. */
  readonly asks: Map<AskId, AskEntry>
  /** The newest by `requestKey`. */
  readonly requests: Map<string, AskEntry>
  readonly items: Map<ItemId, ItemEntry>
  /** Without a place once removed: an id is never used again. */
  readonly rules: Map<RuleId, number | undefined>
}

/** A session that has no events yet. */
export function newEntry(begin: Pick<SessionEntry, 'data' | 'activityAt' | 'state'>): SessionEntry {
  return {
    ...begin,
    seq: 0,
    hash: FIRST_HASH,
    checkpoint: 0,
    seqs: [],
    asks: new Map(),
    requests: new Map(),
    items: new Map(),
    rules: new Map(),
  }
}

export function requestKey(ask: { readonly epoch: number; readonly requestId: string }): string {
  return `${ask.epoch} ${ask.requestId}`
}

export interface ConflictQuery {
  readonly append: Append
  readonly session: SessionEntry | undefined
  readonly asks: ReadonlyMap<AskId, AskEntry>
}

/**
 * What the tables refuse in a database: an id or a request that is taken, an outcome for an ask that is not open (I1),
 * a change to something that is not there. `done` carries what earlier events of the same append did.
 */
export function appendConflicts({ append, session, asks }: ConflictQuery): boolean {
  if ((session?.seq ?? 0) !== append.expectedSeq) return true
  const done = new Set<string>()
  const requests = new Map<string, Pick<AskEntry, 'id' | 'changed'>>()
  const first = (key: string) => !done.has(key) && done.add(key) !== undefined
  return !append.events.every((event) => {
    switch (event.type) {
      case 'ask-raised': {
        const { id } = event.ask
        const request = requestKey(event.ask)
        const holder = requests.get(request) ?? session?.requests.get(request)
        const isFree = !holder || holder.changed || done.has(`changed ${holder.id}`)
        requests.set(request, { id, changed: false })
        return first(`raised ${id}`) && !asks.has(id) && isFree
      }
      case 'ask-settled': {
        const known = asks.get(event.askId)
        const isOpen = known
          ? known.sessionId === event.sessionId && !known.settledSeq
          : done.has(`raised ${event.askId}`)
        if (isChanged(event.outcome)) done.add(`changed ${event.askId}`)
        return isOpen && first(`settled ${event.askId}`)
      }
      case 'ask-delivered': {
        const known = asks.get(event.askId)
        return (
          done.has(`settled ${event.askId}`) || (known?.sessionId === event.sessionId && known.settledSeq !== undefined)
        )
      }
      case 'item-added':
        return first(`item ${event.item.id}`) && !session?.items.has(event.item.id)
      case 'item-changed':
        return done.has(`item ${event.itemId}`) || session?.items.has(event.itemId) === true
      case 'rule-added':
        return first(`rule ${event.rule.id}`) && !session?.rules.has(event.rule.id)
      case 'rule-removed': {
        const isKnown = done.has(`rule ${event.ruleId}`) || session?.rules.get(event.ruleId) !== undefined
        return isKnown && first(`removed ${event.ruleId}`)
      }
      default:
        return true
    }
  })
}

/** Takes an event into the index, once it is known not to conflict. */
export function indexEvent(
  { session, asks }: { readonly session: SessionEntry; readonly asks: Map<AskId, AskEntry> },
  event: DurableEvent,
  seq: number,
): void {
  switch (event.type) {
    case 'ask-raised': {
      const { id, epoch, requestId, raisedBy } = event.ask
      const toolUseId = raisedBy === undefined ? event.ask.toolUseId : undefined
      const entry: AskEntry = {
        id,
        sessionId: event.sessionId,
        epoch,
        requestId,
        toolUseId,
        raisedSeq: seq,
        changed: false,
        delivered: false,
      }
      asks.set(id, entry)
      session.asks.set(id, entry)
      session.requests.set(requestKey(event.ask), entry)
      return
    }
    case 'ask-settled': {
      const entry = asks.get(event.askId)
      if (entry) Object.assign(entry, { settledSeq: seq, changed: isChanged(event.outcome) })
      return
    }
    case 'ask-delivered': {
      const entry = asks.get(event.askId)
      if (entry) entry.delivered = true
      return
    }
    case 'item-added': {
      const status = event.item.type === 'message' ? event.item.status : undefined
      session.items.set(event.item.id, { seq, status, statusSeq: seq })
      return
    }
    case 'item-changed': {
      const entry = session.items.get(event.itemId)
      if (entry) Object.assign(entry, { status: event.changes.status, statusSeq: seq })
      return
    }
    case 'rule-added':
      session.rules.set(event.rule.id, seq)
      return
    case 'rule-removed':
      session.rules.set(event.ruleId, undefined)
  }
}
