import { useEffect, useRef } from 'react'

/** Short for a person, long enough for the page itself to be painted first. */
const LATER_MS = 100

/**
 * Shows a value outside of the page, such as in the tab's title or icon, a moment after it has changed (debounced): that
 * takes the browser longer than drawing a card, and must not delay one. Of values in quick succession only the last is
 * shown, and the same value is not shown twice.
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
