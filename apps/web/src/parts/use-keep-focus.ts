import { TEXT_FIELDS } from '@holdpoint/react/ui/typing'
import { type RefObject, useEffect } from 'react'
import { openCard } from './open-card.ts'

interface Focused {
  readonly element: Element
  /** Of the card that it is a part of. */
  readonly askId: string | undefined
  readonly isText: boolean
}

/**
 * When the focused part of a card in this element goes away, the focus moves on to the card that is there now: a card
 * that was answered from the keyboard must not throw the person back to the top of the page. Where it was a text field,
 * the person may still be typing, and the focus never moves to a card that takes keys: it stays with the line of its own
 * ask. With nothing to move to, the element itself takes the focus.
 */
export function useKeepFocus(container: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = container.current
    if (!element) return
    let focused: Focused | undefined
    const onFocusIn = ({ target }: FocusEvent) => {
      focused = target instanceof Element ? focusedOf(target) : undefined
    }
    const onFocusOut = () => {
      const last = focused
      // Later: an element that is being removed is still there now.
      setTimeout(() => {
        if (focused === last && last?.element.isConnected && !element.contains(document.activeElement)) {
          focused = undefined
        }
      })
    }
    const observer = new MutationObserver(() => {
      if (!focused || focused.element.isConnected || document.activeElement !== document.body) return
      const next = nextFocus(element, focused)
      focused = undefined
      next.focus({ preventScroll: true })
    })
    element.addEventListener('focusin', onFocusIn)
    element.addEventListener('focusout', onFocusOut)
    observer.observe(element, { childList: true, subtree: true })
    return () => {
      element.removeEventListener('focusin', onFocusIn)
      element.removeEventListener('focusout', onFocusOut)
      observer.disconnect()
    }
  }, [container])
}

function focusedOf(element: Element): Focused {
  return {
    element,
    askId: element.closest<HTMLElement>('[data-ask-id]')?.dataset.askId,
    isText: element.matches(TEXT_FIELDS),
  }
}

function nextFocus(container: HTMLElement, { askId, isText }: Focused): HTMLElement {
  if (askId === undefined) return container
  const open = openCard(container)
  if (open && !isText) return open
  const own = container.querySelector<HTMLElement>(`[data-ask-id="${CSS.escape(askId)}"]`)
  return own && own !== open ? own : container
}
