import { type RefObject, useContext, useEffect } from 'react'
import { NavigationContext } from '../parts/navigation.ts'

/**
 * Who comes to the page with a keyboard can type at once. Not on a touch screen, where that would bring up the keys, and not
 * where this page was opened first.
 */
export function useFocusAtStart(field: RefObject<HTMLElement | null>): void {
  const navigated = useContext(NavigationContext)
  useEffect(() => {
    if (navigated.current && !window.matchMedia('(pointer: coarse)').matches) field.current?.focus()
  }, [field, navigated])
}
