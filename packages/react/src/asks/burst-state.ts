import { whyAlone } from '@holdpoint/core/allowed-alone'
import type { Ask } from '@holdpoint/schema/ask'

export interface BurstSelection {
  /** Ticked asks by id, with the digest that was on screen when they were ticked. */
  readonly ticked: ReadonlyMap<string, string>
  /** Asks whose whole content was on screen, with that digest. */
  readonly endSeen: ReadonlyMap<string, string>
}

export type BurstEvent =
  | { readonly type: 'ticked'; readonly ask: Ask; readonly selected: boolean }
  | { readonly type: 'end-seen'; readonly ask: Ask }
  | { readonly type: 'cleared' }

export const NO_BURST: BurstSelection = { ticked: new Map(), endSeen: new Map() }

export function burstReducer(state: BurstSelection, event: BurstEvent): BurstSelection {
  switch (event.type) {
    case 'ticked': {
      const ticked = new Map(state.ticked)
      if (event.selected) ticked.set(event.ask.id, event.ask.digest)
      else ticked.delete(event.ask.id)
      return { ...state, ticked }
    }
    case 'end-seen':
      return { ...state, endSeen: new Map(state.endSeen).set(event.ask.id, event.ask.digest) }
    case 'cleared':
      return { ...state, ticked: new Map() }
    default:
      return event satisfies never
  }
}

export interface BurstView {
  /** Ticked and still open, by the digest that was ticked. */
  readonly chosen: readonly Ask[]
  /** Why they cannot be allowed together. */
  readonly cannotAllow?: string
  /** All ids and digests: another set is another decision. */
  readonly decision: string
}

export function burstView(asks: readonly Ask[], { ticked, endSeen }: BurstSelection): BurstView {
  const chosen = asks.filter((ask) => ask.kind === 'approval' && ticked.get(ask.id) === ask.digest)
  const decision = chosen.map((ask) => `${ask.id} ${ask.digest}`).join('\n')
  const cannotAllow = whyNot(chosen, endSeen)
  return { chosen, decision, ...(cannotAllow !== undefined && { cannotAllow }) }
}

/** An ask that differs from the others, or was not read, must not be allowed among them by accident (T31). */
function whyNot(chosen: readonly Ask[], endSeen: ReadonlyMap<string, string>): string | undefined {
  if (new Set(chosen.map((ask) => ask.tool?.name)).size > 1) return 'Only calls of one tool can be allowed together'
  const alone = chosen.map(whyAlone)
  if (alone.includes('opens-on-no')) return 'One of them is marked as high risk (default: No): allow it on its own'
  if (alone.includes('refused')) return 'The agent’s own check refused one of them: allow it on its own'
  if (alone.includes('result-unknown')) return 'What one of them will write is unknown: allow it on its own'
  const unseen = chosen.filter((ask) => endSeen.get(ask.id) !== ask.digest).length
  if (unseen > 0) return unseen === 1 ? 'One was not seen to the end' : `${unseen} were not seen to the end`
  return undefined
}
