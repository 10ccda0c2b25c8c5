import { type RefObject, useEffect, useLayoutEffect } from 'react'
import { isPointInSight } from './in-sight.ts'

/**
 * Keeps a field in sight while somebody writes in it: when it opens, when it grows with its text, and when a phone's keyboard
 * takes half of the screen.
 */
export function useKeepInSight(field: RefObject<HTMLElement | null>, isOpen: boolean, text: string) {
  useLayoutEffect(() => {
    if (isOpen) show(field.current)
  }, [field, isOpen, text])
  useEffect(() => {
    if (!isOpen) return
    const again = () => show(field.current)
    window.visualViewport?.addEventListener('resize', again)
    return () => window.visualViewport?.removeEventListener('resize', again)
  }, [field, isOpen])
}

function show(field: HTMLElement | null) {
  // With two fingers the person chooses what is in sight.
  if (!field || document.activeElement !== field || (window.visualViewport?.scale ?? 1) > 1.01) return
  const { left, right, top, bottom } = field.getBoundingClientRect()
  const x = (left + right) / 2
  const isSeen = [top + EDGE, bottom - EDGE].every((y) => isPointInSight(field, { x, y }))
  if (!isSeen) field.scrollIntoView({ block: 'center' })
}

/** A little inside: at the very edge, rounding may hit what is beyond. */
const EDGE = 3
