import { sizeOf } from '@holdpoint/core/size-of'
import type { Ask } from '@holdpoint/schema/ask'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { Item } from '@holdpoint/schema/item'

/** Characters. What has more is sent without its large parts, and read whole when somebody looks at it (F58). */
export const LARGE = 32 * 1024
/** What a text or a list in it may have to be sent all the same: the rest of the ask stays recognisable. */
const SMALL_PART = 2048

/** An ask has its texts within a few levels; what is nested deeper is the agent's. */
const DEEPEST = 6

const lightAsks = new WeakMap<Ask, Ask>()

/**
 * An ask as lists and streams carry it. One that is large has no `digest` either: a client that does not know of this
 * cannot answer what it was not shown.
 */
export function lightAsk(ask: Ask): Ask {
  const size = sizeOf(ask)
  if (size <= LARGE) return ask
  const known = lightAsks.get(ask)
  if (known) return known
  const light = { ...(lightened(ask) as Ask), digest: '', omitted: { digest: ask.digest, characters: size } }
  lightAsks.set(ask, light)
  return light
}

export function lightItem(item: Item): Item {
  if (item.type !== 'tool-call' || sizeOf(item.input) <= LARGE) return item
  return { ...item, input: lightened(item.input), omitted: sizeOf(item.input) }
}

export function lightEvent(event: DurableEvent): DurableEvent {
  if (event.type === 'ask-raised') return { ...event, ask: lightAsk(event.ask) }
  if (event.type === 'item-added') return { ...event, item: lightItem(event.item) }
  return event
}

/** The same shape, with its large texts and lists empty. */
function lightened(value: unknown, depth = 0): unknown {
  if (sizeOf(value) <= SMALL_PART) return value
  if (typeof value !== 'object' || value === null) return ''
  const light = depth < DEEPEST ? lightParts(value, depth + 1) : undefined
  if (light !== undefined && sizeOf(light) <= LARGE / 4) return light
  return Array.isArray(value) ? [] : {}
}

function lightParts(value: object, depth: number): unknown {
  if (Array.isArray(value)) return value.map((entry) => lightened(entry, depth))
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, lightened(entry, depth)]))
}
