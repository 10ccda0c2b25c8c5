/** In letters as wide as they are high: a strip narrower than this, of several lines, is not read by anybody. */
const NARROWEST_STRIP_EM = 3.5
/** As high as this there are at least two lines. */
const TWO_LINES_EM = 2.6

/**
 * Whether a layout puts text out of sight at a side of its box, or squeezes it into a strip of single letters (T73). What
 * is above or below does not count: that comes into sight by scrolling down.
 */
export function hidesText(box: Element): boolean {
  return isOutOfSight(box) || [...box.querySelectorAll('p, li, td, th, h4, h5, h6, pre')].some(isSqueezed)
}

interface Sides {
  readonly left: number
  readonly right: number
}

function isOutOfSight(box: Element): boolean {
  const known = new Map<Element, Sides>([[box, box.getBoundingClientRect()]])
  const range = document.createRange()
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!text.parentElement || text.textContent?.trim() === '') continue
    const { left, right } = sightOf(text.parentElement, known)
    range.selectNodeContents(text)
    for (const line of range.getClientRects()) if (line.left < left - 1 || line.right > right + 1) return true
  }
  return false
}

/** Between which sides something in this element can be seen without scrolling sideways. */
function sightOf(element: Element, known: Map<Element, Sides>): Sides {
  const before = known.get(element)
  if (before) return before
  const around = element.parentElement
    ? sightOf(element.parentElement, known)
    : { left: Number.NEGATIVE_INFINITY, right: Number.POSITIVE_INFINITY }
  const { overflowX, display } = getComputedStyle(element)
  let sides = around
  if (overflowX !== 'visible' && display !== 'inline') {
    const { left, right } = element.getBoundingClientRect()
    sides = { left: Math.max(left, around.left), right: Math.min(right, around.right) }
  }
  known.set(element, sides)
  return sides
}

function isSqueezed(element: Element): boolean {
  if (element.textContent?.trim() === '') return false
  const range = document.createRange()
  range.selectNodeContents(element)
  const { width, height } = range.getBoundingClientRect()
  const em = Number.parseFloat(getComputedStyle(element).fontSize)
  return width < NARROWEST_STRIP_EM * em && height > TWO_LINES_EM * em
}
