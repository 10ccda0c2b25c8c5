import { whyNotTicked } from '@holdpoint/react/asks/burst-state'
import type { Burst } from '@holdpoint/react/cards/burst-bar'
import { isFreeKey } from '@holdpoint/react/ui/typing'
import type { Ask } from '@holdpoint/schema/ask'
import { useEffect, useState } from 'react'
import { CANNOT_ANSWER } from './inbox-group.tsx'
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

/** Why the last key did nothing. */
export interface KeyNote {
  readonly words: string
  /** The same words twice are said twice. */
  readonly count: number
}

/** What a card or a line with the focus takes, and `x`. */
const ASK_KEYS = /^[aderx1-9]$/

/** Words only, never the focus: then the next press would decide what nobody has looked at. */
const NO_FOCUS = 'No card has the focus. Press j to go to the first one.'

/** The keys of the inbox. Shift+A and Shift+D belong to the bar of the selection. Tells why a key did nothing. */
export function useInboxKeys({ asks, burst, onSearch, onView, onShowAll }: InboxKeys): KeyNote | undefined {
  const [note, setNote] = useState<KeyNote>()
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (!isFreeKey(event)) return
      const words = whyNothing(event.key)
      setNote((before) => (words === undefined ? undefined : { words, count: (before?.count ?? 0) + 1 }))
      const act = words === undefined && actionOf(event.key)
      if (!act) return
      event.preventDefault()
      act()
    }
    function whyNothing(key: string): string | undefined {
      if (asks.length === 0) return undefined
      if (key === 'X' && !asks.some(hasBox)) return burst ? 'There are no calls to select together.' : CANNOT_ANSWER
      if (!ASK_KEYS.test(key)) return undefined
      const id = focusedId()
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
      const ask = asks.find((entry) => entry.id === focusedId())
      if (ask && burst) burst.tick([ask], burst.isTicked(ask) === false)
    }
    const forget = () => setNote(undefined)
    const over = new AbortController()
    document.addEventListener('keydown', onKeyDown, { signal: over.signal })
    for (const type of ['focusin', 'pointerdown'] as const)
      document.addEventListener(type, forget, { signal: over.signal })
    return () => over.abort()
  }, [asks, burst, onSearch, onView, onShowAll])
  return note
}

function focusedId(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-ask-id]')?.dataset.askId
}
