import type { Burst } from '@holdpoint/react/cards/burst-bar'
import { isFreeKey } from '@holdpoint/react/ui/typing'
import type { Ask } from '@holdpoint/schema/ask'
import { useEffect } from 'react'
import { ticksOf } from './inbox-status.tsx'

interface InboxKeys {
  /** The open asks that are drawn. */
  readonly asks: readonly Ask[]
  readonly burst: Burst | undefined
  onSearch(): void
  onView(): void
  /** Where something is hidden. */
  readonly onShowAll: (() => void) | undefined
}

/** The keys of the inbox. Shift+A and Shift+D belong to the bar of the selection. */
export function useInboxKeys({ asks, burst, onSearch, onView, onShowAll }: InboxKeys): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const act = isFreeKey(event) ? actionOf(event.key) : undefined
      if (!act) return
      event.preventDefault()
      act()
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
    function tickFocused() {
      const id = document.activeElement?.closest<HTMLElement>('[data-ask-id]')?.dataset.askId
      const ask = asks.find((entry) => entry.id === id)
      if (ask && burst) burst.tick([ask], burst.isTicked(ask) === false)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [asks, burst, onSearch, onView, onShowAll])
}
