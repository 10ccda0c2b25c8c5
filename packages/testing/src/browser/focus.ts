import type { Page } from 'playwright-core'

/** What has the focus, as a person would name it; `nothing` when the focus is lost. */
export function focused(page: Page): Promise<string> {
  return page.evaluate<string>(`(${nameOf})(${FOCUSED})`)
}

const FOCUSED = 'document.activeElement ?? document.body'

/** Runs in the page. */
function nameOf(element: Element): string {
  if (element === document.body) return 'nothing'
  const label = element.getAttribute('aria-label') ?? (element as HTMLInputElement).labels?.[0]?.textContent
  const labelled = document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent
  const words = label ?? labelled ?? element.textContent ?? ''
  return `${element.localName} ${words.trim().replaceAll(/\s+/g, ' ').slice(0, 60)}`
}

export interface TabStop {
  readonly name: string
  /** What is wrong with it: no mark of the focus, out of sight, or behind something else. */
  readonly faults: readonly string[]
}

/** Goes through the page by Tab, from its start until the focus leaves it. */
export async function tabStops(page: Page, most = 120): Promise<TabStop[]> {
  await page.evaluate(() => {
    // Not blur(): the next Tab would go on from where the focus was.
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
  })
  const stops: TabStop[] = []
  while (stops.length < most) {
    await page.keyboard.press('Tab')
    // Of one element: the focus may be elsewhere a moment later. What moves it into sight may take some frames.
    const stop = await page.evaluate<TabStop>(`(async (element) => {
      const look = () => (${focusFaults})(element, ${BOX_DEPTH})
      const name = (${nameOf})(element)
      let faults = look()
      for (let frame = 0; faults.length > 0 && frame < ${FRAMES}; frame++) {
        await new Promise(requestAnimationFrame)
        faults = look()
      }
      return { name, faults }
    })(${FOCUSED})`)
    if (stop.name === 'nothing') return stops
    stops.push(stop)
  }
  throw new Error(`the focus does not leave the page: ${stops.map((stop) => stop.name).join(', ')}`)
}

/** A list that is drawn in part moves when it has measured what it has just drawn, which may take a while under load. */
const FRAMES = 90
/** Text fields and choices may have their mark on the box around them. */
const BOX_DEPTH = 3

/** Runs in the page. What has gone meanwhile, as a button does that is not needed any more, has none. */
function focusFaults(element: Element, depth: number): string[] {
  if (!element.isConnected) return []
  if (!(element instanceof HTMLElement)) return ['it is no element']
  const boxes: Element[] = []
  for (let box: Element | null = element; box && boxes.length <= depth; box = box.parentElement) boxes.push(box)
  const siblings = [element.nextElementSibling].filter((box) => box !== null)
  const isMarked = [...boxes, ...siblings].some((box) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(box)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0
  })
  const seen = element.closest('label') ?? element
  const { left, top, right, bottom } = seen.getBoundingClientRect()
  const isInSight = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
  const [from, to] = [Math.max(0, left), Math.min(innerWidth, right)]
  const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2
  // At several places: what is covered in part can still be seen.
  const above = [0.1, 0.5, 0.9].map((part) => document.elementFromPoint(from + (to - from) * part, y))
  const isCovered = isInSight && above.every((other) => other && !seen.contains(other) && !other.contains(seen))
  return [
    ...(isMarked ? [] : ['its focus is not marked']),
    ...(isInSight ? [] : ['it is out of sight']),
    ...(isCovered ? [`it is behind <${above[1]?.localName} class="${above[1]?.className}">`] : []),
  ]
}
