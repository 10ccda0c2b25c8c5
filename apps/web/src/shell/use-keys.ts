import { isFreeKey } from '@holdpoint/react/ui/typing'
import { useEffect } from 'react'
import { isPaletteKey } from '../palette/palette-key.ts'
import { isDrawn } from '../parts/open-card.ts'

const PREFIX_MS = 1000

export interface Keys {
  readonly onInbox: () => void
  readonly onSessions: () => void
  readonly onNew: () => void
  readonly onHelp: () => void
  readonly onPalette: () => void
}

/** The keys of the whole app. Single letters never act while somebody types or a dialog is open. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    let prefixAt = Number.NEGATIVE_INFINITY
    function onKeyDown(event: KeyboardEvent) {
      // In a terminal it is a key of the program there, which has taken it.
      if (isPaletteKey(event) && !event.defaultPrevented && !document.querySelector('dialog[open]')) {
        event.preventDefault()
        keys.onPalette()
      }
      if (!isFreeKey(event)) return
      const isPrefixed = event.timeStamp - prefixAt < PREFIX_MS
      prefixAt = Number.NEGATIVE_INFINITY
      const act = actionOf(event.key, isPrefixed)
      if (event.key === 'g' && !isPrefixed) prefixAt = event.timeStamp
      if (!act) return
      event.preventDefault()
      act()
    }
    function actionOf(key: string, isPrefixed: boolean): (() => void) | undefined {
      if (isPrefixed) return key === 'i' ? keys.onInbox : key === 's' ? keys.onSessions : undefined
      if (key === '?') return keys.onHelp
      if (key === 'n') return keys.onNew
      if (key === 'j') return () => moveFocus(1)
      if (key === 'k') return () => moveFocus(-1)
      return undefined
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [keys])
}

/** From ask to ask of the page, in the order of the page. */
function moveFocus(step: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('main [data-ask-id]')]
  const at = cards.findIndex((card) => card.contains(document.activeElement))
  const before = at < 0 ? cards : cards.slice(0, at)
  const ahead = step > 0 ? cards.slice(at + 1) : before.toReversed()
  // One after the other: to look at one that is far out of sight, the browser has to lay it out.
  const next = ahead.find((card) => card.tabIndex >= 0 && isDrawn(card)) ?? cards[at]
  next?.focus()
}
