import { hasMoved, type Place } from './arming-state.ts'

/** How long after a wheel, a finger or a key the page may go on scrolling by that push. */
const OWN_SCROLL_MS = 1500
/** How often places are looked at; a press looks once more, so this only bounds how late a move is noticed. */
const LOOK_EVERY_MS = 100

export interface Watch {
  /** Looks now whether the element has moved since it was last looked at. */
  look(): void
  stop(): void
}

export interface DisturbanceHandlers {
  /** It is somewhere else on screen, and not by the person's own scrolling. */
  onMoved(): void
  /** The window has come to the front, or the tab into sight. */
  onReturned(): void
}

interface Watched {
  readonly element: Element
  readonly handlers: DisturbanceHandlers
  place: Place
}

const watched = new Set<Watched>()
let timer: ReturnType<typeof setInterval> | undefined
let pushedAt = Number.NEGATIVE_INFINITY

/** Tells of everything after which a press on the element is not to be trusted for a while. */
export function watchDisturbances(element: Element, handlers: DisturbanceHandlers): Watch {
  const entry: Watched = { element, handlers, place: placeOf(element) }
  if (watched.size === 0) start()
  watched.add(entry)
  return {
    look: () => look(entry),
    stop() {
      watched.delete(entry)
      if (watched.size === 0) stop()
    },
  }
}

function look(entry: Watched) {
  const place = placeOf(entry.element)
  const moved = hasMoved(entry.place, place, performance.now() - pushedAt < OWN_SCROLL_MS)
  entry.place = place
  if (moved) entry.handlers.onMoved()
}

function placeOf(element: Element): Place {
  const { left, top } = element.getBoundingClientRect()
  // Buttons that stick to the screen wander over their card as it scrolls; in the page they belong to its lower edge.
  const anchor = element.closest('dialog, [data-ask-id]') ?? element
  const edge = anchor.getBoundingClientRect()
  let x = edge.left
  let y = edge.bottom
  for (let parent = anchor.parentElement; parent; parent = parent.parentElement) {
    x += parent.scrollLeft
    y += parent.scrollTop
  }
  return { screen: { x: left, y: top }, page: { x, y } }
}

function lookAtAll() {
  if (document.visibilityState === 'hidden') return
  for (const entry of watched) look(entry)
}

function onReturn() {
  for (const entry of watched) entry.handlers.onReturned()
}

function onVisibility() {
  if (document.visibilityState === 'visible') onReturn()
}

function onPush() {
  pushedAt = performance.now()
}

function onPointerMove(event: PointerEvent) {
  // A pressed button that moves drags a scroll bar.
  if (event.buttons !== 0) onPush()
}

const LISTENING = { capture: true, passive: true } as const

function start() {
  timer = setInterval(lookAtAll, LOOK_EVERY_MS)
  window.addEventListener('focus', onReturn)
  document.addEventListener('visibilitychange', onVisibility)
  for (const type of ['wheel', 'touchmove', 'keydown'] as const) window.addEventListener(type, onPush, LISTENING)
  window.addEventListener('pointermove', onPointerMove, LISTENING)
}

function stop() {
  clearInterval(timer)
  window.removeEventListener('focus', onReturn)
  document.removeEventListener('visibilitychange', onVisibility)
  for (const type of ['wheel', 'touchmove', 'keydown'] as const) window.removeEventListener(type, onPush, LISTENING)
  window.removeEventListener('pointermove', onPointerMove, LISTENING)
}
