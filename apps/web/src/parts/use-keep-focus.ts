import { type RefObject, useEffect } from 'react'

/**
 * When the focused part of this element goes away, the focus moves to the card that is there now: a card that was
 * answered from the keyboard must not throw the person back to the top of the page.
 */
export function useKeepFocus(container: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = container.current
    if (!element) return
    let focused: Element | undefined
    const onFocusIn = (event: FocusEvent) => {
      focused = event.target instanceof Element ? event.target : undefined
    }
    const onFocusOut = () => {
      const last = focused
      // Later: an element that is being removed is still there now.
      setTimeout(() => {
        if (focused === last && last?.isConnected && !element.contains(document.activeElement)) focused = undefined
      })
    }
    const observer = new MutationObserver(() => {
      if (!focused || focused.isConnected || document.activeElement !== document.body) return
      focused = undefined
      const next =
        element.querySelector<HTMLElement>('[data-ask-id]:not([data-state^="settled"])') ??
        element.querySelector<HTMLElement>('[data-ask-id], textarea')
      next?.focus({ preventScroll: true })
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
