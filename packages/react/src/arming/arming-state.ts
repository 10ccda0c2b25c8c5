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

export const UNMOVED: Point = { x: 0, y: 0 }

/**
 * How far an element has moved in a way that can put it under a finger that meant something else. The person's own
 * scrolling does not count; a layout shift does, and so does scrolling by a script. What stays in its place on screen has
 * not moved, whatever happened to the page around it.
 */
export function driftOf(before: Place, after: Place, ownScroll: boolean): Point {
  const screen = difference(before.screen, after.screen)
  if (!ownScroll) return screen
  const page = difference(before.page, after.page)
  return { x: nearer(screen.x, page.x), y: nearer(screen.y, page.y) }
}

/** Steps that are each too small to count are a move together: they are summed up until they are far enough. */
export function sum(first: Point, second: Point): Point {
  return { x: first.x + second.x, y: first.y + second.y }
}

export function isMove({ x, y }: Point): boolean {
  return Math.abs(x) > MOVE_TOLERANCE_PX || Math.abs(y) > MOVE_TOLERANCE_PX
}

function difference(from: Point, to: Point): Point {
  return { x: to.x - from.x, y: to.y - from.y }
}

function nearer(first: number, second: number): number {
  return Math.abs(first) < Math.abs(second) ? first : second
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
