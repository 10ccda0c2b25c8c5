/** Nothing decides for this long after a card appeared, moved, or the window came to the front (T29). */
export const ARMING_MS = 500
/** Less than this is a rounding of the layout, not a move that puts another button under the pointer. */
const MOVE_TOLERANCE_PX = 4

/** Where something is: on screen, and in its page with all scrolling taken out. */
export interface Place {
  readonly screen: Point
  readonly page: Point
}
export interface Point {
  readonly x: number
  readonly y: number
}

/**
 * Whether a move from one place to another can have put it under a finger that meant something else. The person's own
 * scrolling cannot; a layout that shifts can, and so does scrolling that nobody asked for. What stays where it is on
 * screen has not moved, whatever happened to the page around it.
 */
export function hasMoved(before: Place, after: Place, ownScroll: boolean): boolean {
  if (!isFar(before.screen, after.screen)) return false
  return !ownScroll || isFar(before.page, after.page)
}

function isFar(from: Point, to: Point): boolean {
  return Math.abs(from.x - to.x) > MOVE_TOLERANCE_PX || Math.abs(from.y - to.y) > MOVE_TOLERANCE_PX
}

export function isArmed(disturbedAt: number, at: number): boolean {
  return at - disturbedAt >= ARMING_MS
}

/** A finger or a mouse button that went down on a button. */
export interface Down {
  /** Ask and digest that were under it. */
  readonly key: string
  readonly at: number
}

export interface Press {
  readonly key: string
  readonly at: number
  readonly disturbedAt: number
  /** The keyboard or an assistive technology pressed: there is no finger that could have gone down elsewhere. */
  readonly byPointer: boolean
  /** Made by the browser for a person, not by a script. */
  readonly trusted: boolean
}

/** Whether a press decides: both its halves on the same ask and digest, and both after arming (T29, T30). */
export function decides(press: Press, down: Down | undefined): boolean {
  if (!press.trusted || !isArmed(press.disturbedAt, press.at)) return false
  if (!press.byPointer) return true
  return down !== undefined && down.key === press.key && isArmed(press.disturbedAt, down.at)
}
