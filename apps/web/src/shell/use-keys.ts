import { isTyping, TEXT_FIELDS } from '@holdpoint/react/ui/typing'
import { useEffect } from 'react'
import { isDrawn } from '../parts/open-card.ts'

const PREFIX_MS = 1000

export interface Keys {
  readonly onInbox: () => void
  readonly onSessions: () => void
  readonly onNew: () => void
  readonly onHelp: () => void
}

/** The keys of the whole app. Single letters never act while somebody types or a dialog is open. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    let prefixAt = Number.NEGATIVE_INFINITY
    function onKeyDown(event: KeyboardEvent) {
      if (!isFree(event)) return
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

function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return false
  if (document.querySelector('dialog[open]') || isTyping()) return false
  const { target } = event
  return !(target instanceof Element && target.closest(TEXT_FIELDS))
}

/** From card to card of the page, in the order of the page. */
function moveFocus(step: 1 | -1): void {
  const cards = [...document.querySelectorAll<HTMLElement>('main [data-ask-id]')].filter(
    (card) => card.tabIndex >= 0 && isDrawn(card),
  )
  const at = cards.findIndex((card) => card.contains(document.activeElement))
  const next = at < 0 ? cards.at(step > 0 ? 0 : -1) : cards[Math.min(cards.length - 1, Math.max(0, at + step))]
  next?.focus()
}
