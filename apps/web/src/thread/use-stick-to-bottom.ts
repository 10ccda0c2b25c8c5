import { type FocusEvent, type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { VListHandle } from 'virtua'

/** How far from the end still counts as being there: a touch screen stops between pixels. */
const SLACK = 24
/** A scroll that comes this soon after a wheel, a finger or a key is the person's. */
const PERSON_MS = 1000

/**
 * Keeps the end in sight while text comes in and while the room for it changes, until the person scrolls up. Scroll
 * events alone do not tell who scrolls: the list moves by itself when rows are measured.
 */
export function useStickToBottom(list: RefObject<VListHandle | null>, rows: readonly unknown[]) {
  const sticks = useRef(true)
  const lastOffset = useRef(0)
  const touchedAt = useRef(Number.NEGATIVE_INFINITY)
  /** A row has the focus, and the person has done nothing since. */
  const holdsFocus = useRef(false)
  const [isAtEnd, setIsAtEnd] = useState(true)

  const toEnd = useCallback(() => {
    const handle = list.current
    if (handle) handle.scrollTo(handle.scrollSize)
  }, [list])

  const onScroll = useCallback(
    (offset: number) => {
      const handle = list.current
      if (!handle) return
      const isUp = offset < lastOffset.current
      lastOffset.current = offset
      const isNowAtEnd = offset + handle.viewportSize >= handle.scrollSize - SLACK
      if (isNowAtEnd && !holdsFocus.current) sticks.current = true
      if (!isNowAtEnd && isUp && performance.now() - touchedAt.current < PERSON_MS) sticks.current = false
      setIsAtEnd(isNowAtEnd || sticks.current)
    },
    [list],
  )

  const noteEnd = useCallback(() => {
    const handle = list.current
    if (handle) setIsAtEnd(handle.scrollOffset + handle.viewportSize >= handle.scrollSize - SLACK)
  }, [list])

  /** A row or the list itself changed its size: text that streams in, an ask that takes room below. */
  const onResize = useCallback(() => {
    if (sticks.current) toEnd()
    else noteEnd()
  }, [toEnd, noteEnd])

  // New rows are what moves the end.
  useLayoutEffect(() => {
    if (!sticks.current) noteEnd()
    else if (rows.length > 0) list.current?.scrollToIndex(rows.length - 1, { align: 'end' })
  }, [rows, list, noteEnd])

  const jumpToEnd = useCallback(() => {
    sticks.current = true
    holdsFocus.current = false
    setIsAtEnd(true)
    list.current?.scrollToIndex(rows.length - 1, { align: 'end' })
  }, [list, rows.length])

  /** What a person opens stays where it is: it grows downwards. */
  const letGo = useCallback(() => {
    sticks.current = false
  }, [])

  /** For the element around the list. */
  const personHandlers = useMemo(() => {
    const note = () => {
      touchedAt.current = performance.now()
      holdsFocus.current = false
    }
    return {
      onWheelCapture: note,
      onTouchMoveCapture: note,
      onKeyDownCapture: note,
      onPointerDownCapture: note,
      onFocusCapture({ target, currentTarget }: FocusEvent<HTMLElement>) {
        // A Tab from outside: the key went down elsewhere.
        note()
        // What has the focus stays in sight: a row that is measured, or a new one, must not move it away.
        const isInRow = target !== currentTarget.querySelector('[role="region"]')
        if (!isInRow || !target.matches(':focus-visible')) return
        sticks.current = false
        holdsFocus.current = true
        // The browser brings it into sight after this event.
        requestAnimationFrame(() => keepInPlace(list.current, target))
      },
    }
  }, [list])

  return { isAtEnd, onScroll, onResize, jumpToEnd, letGo, personHandlers }
}

/**
 * A scroll of the list goes on for a while: it is done again whenever a row is measured. One that began before the focus came
 * would move the focused row away, so this one takes its place, and holds the row where it is.
 */
function keepInPlace(list: VListHandle | null, target: Element) {
  const region = target.closest('[role="region"]')
  if (!list || !region) return
  const { scrollTop } = region
  const index = list.findItemIndex(scrollTop + target.getBoundingClientRect().top - region.getBoundingClientRect().top)
  list.scrollToIndex(index, { offset: scrollTop - list.getItemOffset(index) })
}
