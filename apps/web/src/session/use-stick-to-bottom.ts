import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { VListHandle } from 'virtua'

/** How far from the end still counts as being there: a touch screen stops between pixels. */
const SLACK = 24

/** Keeps the end in sight while text comes in, until the person scrolls up; and says whether they have. */
export function useStickToBottom(list: RefObject<VListHandle | null>, rows: readonly unknown[]) {
  const sticks = useRef(true)
  const [isAtEnd, setIsAtEnd] = useState(true)

  const toEnd = useCallback(() => {
    const handle = list.current
    if (handle) handle.scrollTo(handle.scrollSize)
  }, [list])

  const onScroll = useCallback(
    (offset: number) => {
      const handle = list.current
      if (!handle) return
      sticks.current = offset + handle.viewportSize >= handle.scrollSize - SLACK
      setIsAtEnd(sticks.current)
    },
    [list],
  )

  /** A row or the list itself changed its size: text that streams in, an ask that takes room below. */
  const onResize = useCallback(() => {
    if (sticks.current) toEnd()
  }, [toEnd])

  // New rows are what moves the end.
  useLayoutEffect(() => {
    if (sticks.current && rows.length > 0) list.current?.scrollToIndex(rows.length - 1, { align: 'end' })
  }, [rows, list])

  const jumpToEnd = useCallback(() => {
    sticks.current = true
    setIsAtEnd(true)
    list.current?.scrollToIndex(rows.length - 1, { align: 'end' })
  }, [list, rows.length])

  return { isAtEnd, onScroll, onResize, jumpToEnd }
}
