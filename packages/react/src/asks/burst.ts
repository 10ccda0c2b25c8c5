import type { Ask } from '@holdpoint/schema/ask'
import { type BurstEvent, type BurstSelection, burstReducer, canBeTicked, NO_BURST } from './burst-state.ts'

/** The ticks of a list of asks. Each card and the bar listen to their own part: a tick draws one card again, not the list. */
export interface Burst {
  subscribe(listener: () => void): () => void
  getSelection(): BurstSelection
  /** Undefined where its card has no tick box. */
  isTicked(ask: Ask): boolean | undefined
  /** Those that can have no tick are passed over. */
  tick(asks: readonly Ask[], selected: boolean): void
  markEndSeen(ask: Ask): void
  clear(): void
}

/** `show` says what is in the list now. Cards have a tick box while at least two of them can be answered together. */
export function createBurst(): Burst & { show(asks: readonly Ask[]): void } {
  const listeners = new Set<() => void>()
  let selection = NO_BURST
  let hasBoxes = false

  function dispatch(event: BurstEvent, hadBoxes = hasBoxes) {
    const next = burstReducer(selection, event)
    if (next === selection && hadBoxes === hasBoxes) return
    selection = next
    for (const listener of listeners) listener()
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    getSelection: () => selection,
    isTicked: (ask) => (hasBoxes && canBeTicked(ask) ? selection.ticked.get(ask.id) === ask.digest : undefined),
    tick: (asks, selected) => dispatch({ type: 'ticked', asks, selected }),
    markEndSeen: (ask) => dispatch({ type: 'end-seen', ask }),
    clear: () => dispatch({ type: 'cleared' }),
    show(asks) {
      const hadBoxes = hasBoxes
      hasBoxes = asks.filter(canBeTicked).length > 1
      dispatch({ type: 'shown', asks }, hadBoxes)
    },
  }
}
