import type { Ask } from './ask.ts'
import type { Item } from './item.ts'

/**
 * The place of an ask in its session's thread. Made of the ask itself: the log holds it once. What a program asks is no
 * subagent's, whatever it said when it could still say so.
 */
export function askItem(ask: Ask): Item {
  return {
    id: `itm_${ask.id.slice('ask_'.length)}`,
    at: ask.raisedAt,
    type: 'ask',
    askId: ask.id,
    ...(ask.raisedBy === undefined && ask.subagent !== undefined && { subagent: ask.subagent }),
  }
}
