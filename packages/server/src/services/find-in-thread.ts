import { setImmediate } from 'node:timers/promises'
import { sizeOf } from '@holdpoint/core/size-of'
import type { AskRecord, Store } from '@holdpoint/core/store'
import type { FoundItem } from '@holdpoint/schema/endpoints/sessions'
import type { SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'

const PAGE_ITEMS = 500
const PAGE_SIZE = 1024 * 1024
/** One reply looks at no more than this, however little it finds (I10). */
const MOST_ITEMS = 10_000
const MOST_SIZE = 8 * 1024 * 1024
const MOST_FOUND = 200
const BEFORE = 40
const AFTER = 120

export interface FindQuery {
  readonly sessionId: SessionId
  readonly text: string
  /** The `nextBefore` of the reply before. */
  readonly before?: number | undefined
  readonly signal?: AbortSignal
}

export interface FoundPage {
  /** Newest first. */
  readonly found: readonly FoundItem[]
  /** Where to look on; absent once the whole thread was looked through. */
  readonly nextBefore?: number
}

/**
 * Entries of a thread that say this text, upper and lower case alike, whether anybody has them on screen or not. In pages,
 * newest first, with the work of others in between.
 */
export async function findInThread(store: Pick<Store, 'items' | 'ask'>, query: FindQuery): Promise<FoundPage> {
  const { sessionId, signal } = query
  const wanted = new RegExp(escaped(query.text), 'iu')
  const found: FoundItem[] = []
  let { before } = query
  let items = 0
  let size = 0
  for (;;) {
    const place = before === undefined ? {} : { before }
    const page = await store.items({ sessionId, limit: PAGE_ITEMS, size: PAGE_SIZE, ...place })
    for (const item of page.items.toReversed()) {
      const excerpt = excerptIn(await textsOf(item, store), wanted)
      if (excerpt !== undefined) found.push({ id: item.id, at: item.at, excerpt })
      size += sizeOf(item)
    }
    items += page.items.length
    before = page.nextBefore
    if (before === undefined) return { found }
    if (items >= MOST_ITEMS || size >= MOST_SIZE || found.length >= MOST_FOUND) return { found, nextBefore: before }
    await setImmediate()
    signal?.throwIfAborted()
  }
}

/** What of an entry can be found. */
async function textsOf(item: Item, store: Pick<Store, 'ask'>): Promise<Iterable<string>> {
  switch (item.type) {
    case 'message':
    case 'thinking':
    case 'notice':
    case 'tool-result':
      return [item.text]
    case 'tool-call':
      return textsIn([item.name, item.input])
    case 'ask':
      return textsOfAsk(await store.ask(item.askId))
    default:
      return item satisfies never
  }
}

/** The call that it is about is in the thread by itself; what was answered is not. */
function textsOfAsk(record: AskRecord | undefined): Iterable<string> {
  if (!record) return []
  const { ask, outcome } = record
  const { title, agentSays, questions, plan, form, raisedBy, tool, context } = ask
  const own = raisedBy === undefined ? [] : [title, tool?.input, context.command]
  return textsIn([questions, plan?.text, form, agentSays, outcome?.answer, ...own])
}

/** Every text in it. Without recursion: an input may be nested ten thousand deep. */
function* textsIn(root: unknown): Generator<string> {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') yield value
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value).reverse()) open.push(part)
  }
}

function excerptIn(texts: Iterable<string>, wanted: RegExp): string | undefined {
  for (const text of texts) {
    const at = text.search(wanted)
    if (at < 0) continue
    const from = Math.max(0, at - BEFORE)
    // No half of a character.
    const cut = text.slice(from, at + AFTER).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
    const piece = cut.replaceAll(/\s+/g, ' ')
    return `${from > 0 ? '…' : ''}${piece}${at + AFTER < text.length ? '…' : ''}`
  }
  return undefined
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
