import { useSyncExternalStore } from 'react'
import type { Point } from './arming-state.ts'

/**
 * Whether a person can see this point of an element now: in a tab in front, under nothing else, and on screen. A page that
 * is zoomed in with two fingers shows a part of itself only, which nothing but the visual viewport knows (T26, T29).
 */
export function isPointInSight(element: Element, { x, y }: Point): boolean {
  const view = window.visualViewport
  if (!view || document.visibilityState !== 'visible') return false
  const { offsetLeft, offsetTop, width, height } = view
  if (x < offsetLeft || x > offsetLeft + width || y < offsetTop || y > offsetTop + height) return false
  return element.contains(document.elementFromPoint(x, y))
}

/** Whether a person can see an element now, by its middle: of something small. */
export function isInSight(element: Element): boolean {
  return isPointInSight(element, shownMiddle(element))
}

/** The middle of that part of an element which lies between the left and the right edge of what is shown. */
export function shownMiddle(element: Element): Point {
  const { left, right, top, height } = element.getBoundingClientRect()
  const { offsetLeft, width } = window.visualViewport ?? { offsetLeft: 0, width: window.innerWidth }
  return { x: (Math.max(left, offsetLeft) + Math.min(right, offsetLeft + width)) / 2, y: top + height / 2 }
}

/** A place in the page's window as a place on the screen. */
export function onScreen({ x, y }: Point): Point {
  const { offsetLeft, offsetTop, scale } = window.visualViewport ?? { offsetLeft: 0, offsetTop: 0, scale: 1 }
  return { x: (x - offsetLeft) * scale, y: (y - offsetTop) * scale }
}

/** Whether the page is zoomed in with two fingers, so that a part of it only is on screen. */
export function useZoomedIn(): boolean {
  return useSyncExternalStore(subscribeToZoom, isZoomedIn, () => false)
}

/** What a person has to do to see all of what they decide on, in the words that begin a hint. */
export function useHowToSee(end = 'the end'): string {
  return useZoomedIn() ? 'Zoom out' : `Scroll to ${end}`
}

function subscribeToZoom(listener: () => void) {
  window.visualViewport?.addEventListener('resize', listener)
  return () => window.visualViewport?.removeEventListener('resize', listener)
}

function isZoomedIn(): boolean {
  return (window.visualViewport?.scale ?? 1) > 1.01
}
