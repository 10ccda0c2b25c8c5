import { whyNotTicked } from '@holdpoint/react/asks/burst-state'
import type { Burst } from '@holdpoint/react/cards/burst-bar'
import { CARD_KEYS } from '@holdpoint/react/cards/card-keys'
import type { Ask } from '@holdpoint/schema/ask'
import { useCallback } from 'react'
import { CANNOT_ANSWER } from './inbox-group.tsx'
import { ticksOf } from './inbox-status.tsx'
import { focusedAskId, type KeyNote, useKeyNote } from './use-key-note.ts'

interface InboxKeys {
  /** The open asks that are drawn. */
  readonly asks: readonly Ask[]
  readonly burst: Burst | undefined
  onSearch(): void
  onView(): void
  /** Where something is hidden. */
  readonly onShowAll: (() => void) | undefined
}

/** Words only, never the focus: then the next press would decide what nobody has looked at. */
const NO_FOCUS = 'No card has the focus. Press j to go to the first one.'

/** The keys of the inbox. Shift+A and Shift+D belong to the bar of the selection. Tells why a key did nothing. */
export function useInboxKeys({ asks, burst, onSearch, onView, onShowAll }: InboxKeys): KeyNote | undefined {
  const onKey = useCallback(
    (event: KeyboardEvent) => {
      const words = whyNothing(event.key)
      const act = words === undefined && actionOf(event.key)
      if (act) {
        event.preventDefault()
        act()
      }
      return words

      function whyNothing(key: string): string | undefined {
        if (asks.length === 0) return undefined
        if (key === 'X' && !asks.some(hasBox)) return burst ? 'There are no calls to select together.' : CANNOT_ANSWER
        if (key !== 'x' && !CARD_KEYS.test(key)) return undefined
        const id = focusedAskId()
        if (id === undefined) return NO_FOCUS
        if (key !== 'x') return undefined
        const ask = asks.find((entry) => entry.id === id)
        if (!ask) return 'This ask needs no answer any more.'
        if (!burst) return CANNOT_ANSWER
        return whyNotTicked(ask) ?? (hasBox(ask) ? undefined : 'This is the only call that could be selected.')
      }
      function actionOf(key: string): (() => void) | undefined {
        if (key === '/') return onSearch
        if (key === 'v') return onView
        // A step back: first the ticks, then the filter.
        if (key === 'Escape') return burst && ticksOf(asks, burst) !== 'none' ? burst.clear : onShowAll
        if (key === 'x') return tickFocused
        if (key === 'X') return () => burst?.tick(asks, ticksOf(asks, burst) !== 'all')
        return undefined
      }
      function hasBox(ask: Ask): boolean {
        return burst?.isTicked(ask) !== undefined
      }
      function tickFocused() {
        const ask = asks.find((entry) => entry.id === focusedAskId())
        if (ask && burst) burst.tick([ask], burst.isTicked(ask) === false)
      }
    },
    [asks, burst, onSearch, onView, onShowAll],
  )
  return useKeyNote(onKey)
}
