import { driftOf, isMove, type Place, type Point, sum, UNMOVED } from './arming-state.ts'
import { isPointInSight, onScreen as screenPlace, shownMiddle } from './in-sight.ts'

/** How long the page may keep scrolling after a wheel, a finger or a key (momentum). */
const OWN_SCROLL_MS = 1500
/** How often positions are polled. A press checks once more, so this only bounds how late a move is noticed. */
const LOOK_EVERY_MS = 100

export interface Watch {
  /** Looks now whether the element has moved. */
  look(): void
  /** Whether a person can see the element now: on screen, and under nothing else. */
  isInSight(): boolean
  /** Scrolls the element into sight, with as much of its card as there is room for. */
  show(): void
  stop(): void
}

export interface DisturbanceHandlers {
  /** It is somewhere else on screen, and not by the person's own scrolling. */
  onMoved(): void
  /** It can be seen again: the window has come to the front, the tab into sight, or the element out of hiding. */
  onReturned(): void
}

interface Watched {
  readonly element: Element
  readonly handlers: DisturbanceHandlers
  place: Place
  /** How far it has gone, in small steps, since it last counted as moved. */
  drift: Point
  isDrawn: boolean
}

const watched = new Map<Element, Watched>()
/** Only what is on screen is polled: hundreds of cards would take all of the page's time. */
const onScreen = new Set<Watched>()
let observer: IntersectionObserver | undefined
let timer: ReturnType<typeof setInterval> | undefined
let pushedAt = Number.NEGATIVE_INFINITY

/** Reports everything after which a press on the element cannot be trusted for a moment. */
export function watchDisturbances(element: Element, handlers: DisturbanceHandlers): Watch {
  const entry: Watched = { element, handlers, place: placeOf(element), drift: UNMOVED, isDrawn: isDrawn(element) }
  if (watched.size === 0) start()
  watched.set(element, entry)
  onScreen.add(entry)
  observer?.observe(element)
  return {
    look: () => look(entry),
    isInSight: () => isInSight(element),
    show() {
      anchorOf(element).scrollIntoView({ block: 'nearest' })
      // The card may be larger than what is shown of a zoomed page.
      if (!isInSight(element)) element.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    },
    stop() {
      observer?.unobserve(element)
      onScreen.delete(entry)
      watched.delete(element)
      if (watched.size === 0) stop()
    },
  }
}

function look(entry: Watched) {
  const place = placeOf(entry.element)
  const drift = sum(entry.drift, driftOf(entry.place, place, performance.now() - pushedAt < OWN_SCROLL_MS))
  const moved = isMove(drift)
  entry.drift = moved ? UNMOVED : drift
  entry.place = place
  const wasDrawn = entry.isDrawn
  entry.isDrawn = isDrawn(entry.element)
  if (entry.isDrawn && !wasDrawn) entry.handlers.onReturned()
  else if (moved) entry.handlers.onMoved()
}

function isDrawn(element: Element): boolean {
  return element.getClientRects().length > 0
}

function isInSight(element: Element): boolean {
  return isPointInSight(element, shownMiddle(element))
}

function anchorOf(element: Element): Element {
  return element.closest('dialog, [data-ask-id]') ?? element
}

function placeOf(element: Element): Place {
  const { left, top } = element.getBoundingClientRect()
  // Buttons that stick to the screen wander over their card as it scrolls; in the page they belong to its lower edge.
  const anchor = anchorOf(element)
  const edge = anchor.getBoundingClientRect()
  let x = edge.left
  let y = edge.bottom
  for (let parent = anchor.parentElement; parent; parent = parent.parentElement) {
    x += parent.scrollLeft
    y += parent.scrollTop
  }
  return { screen: screenPlace({ x: left, y: top }), page: { x, y } }
}

function lookAtAll() {
  if (document.visibilityState === 'hidden') return
  for (const entry of onScreen) look(entry)
}

function onIntersection(entries: readonly IntersectionObserverEntry[]) {
  for (const { target, isIntersecting } of entries) {
    const entry = watched.get(target)
    if (!entry) continue
    if (isIntersecting) onScreen.add(entry)
    else onScreen.delete(entry)
    // Now, too: what comes into sight has come by the person's own scrolling, or it has moved.
    look(entry)
  }
}

function onReturn() {
  for (const entry of watched.values()) entry.handlers.onReturned()
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
  observer = new IntersectionObserver(onIntersection)
  window.addEventListener('focus', onReturn)
  document.addEventListener('visibilitychange', onVisibility)
  for (const type of ['wheel', 'touchmove', 'keydown'] as const) window.addEventListener(type, onPush, LISTENING)
  window.addEventListener('pointermove', onPointerMove, LISTENING)
}

function stop() {
  clearInterval(timer)
  observer?.disconnect()
  observer = undefined
  window.removeEventListener('focus', onReturn)
  document.removeEventListener('visibilitychange', onVisibility)
  for (const type of ['wheel', 'touchmove', 'keydown'] as const) window.removeEventListener(type, onPush, LISTENING)
  window.removeEventListener('pointermove', onPointerMove, LISTENING)
}
