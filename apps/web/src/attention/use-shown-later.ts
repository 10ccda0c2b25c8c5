import { useEffect, useRef } from 'react'

/** Short for a person, long enough for the page itself to be painted first. */
const LATER_MS = 100

/**
 * Shows a value outside of the page, in the tab and in the browser's own places, a moment after it has changed: that
 * takes the browser longer than a card does, and must not keep one waiting. Of values that follow each other at once only
 * the last is shown, and one that is shown already is not shown again.
 */
export function useShownLater<Value>(value: Value, show: (value: Value) => void): void {
  const latest = useRef({ value, show })
  const shown = useRef<{ readonly value: Value }>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    latest.current = { value, show }
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const { value: last, show: showLast } = latest.current
      if (shown.current && Object.is(shown.current.value, last)) return
      shown.current = { value: last }
      showLast(last)
    }, LATER_MS)
  }, [value, show])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}
