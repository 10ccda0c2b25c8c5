import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { LONG } from '../long.ts'

const CONTRAST = ['color-contrast']
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * What is wrong with the page as it is now: for axe, for a finger, and for a window of this width. `within` is what axe
 * looks at; the whole page unless told otherwise.
 */
export async function findings(page: Page, within?: string): Promise<string[]> {
  return findingsIn(page, { within, tags: TAGS })
}

/**
 * What another width can spoil, of parts that were judged in both themes on a phone. They have the same colours here, and
 * to compare those is most of axe's work: only the long run does it again.
 */
export async function findingsOfWidth(page: Page, within?: string): Promise<string[]> {
  return LONG ? findingsInBothThemes(page, within) : findingsIn(page, { within, tags: TAGS, without: CONTRAST })
}

async function findingsIn(page: Page, look: Look): Promise<string[]> {
  await page.evaluate(rest, CALM_FRAMES)
  return [...(await axeFindings(page, look)), ...(await sidewaysFindings(page)), ...(await smallTargetFindings(page))]
}

/**
 * The same, and what another theme can spoil: the contrast, when it is dark. Of a page without motion, where a colour is
 * what it is as soon as the theme changes.
 */
export async function findingsInBothThemes(page: Page, within?: string): Promise<string[]> {
  const light = await findings(page, within)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await axeFindings(page, { within, rules: CONTRAST })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark.map((finding) => `dark: ${finding}`)]
}

/** What has just been drawn is measured, and drawn once more for that: a region that scrolls can be reached only then. */
const CALM_FRAMES = 4

/** Runs in the page, until so many frames have changed nothing. */
async function rest(frames: number): Promise<void> {
  let calm = 0
  const onChange = () => {
    calm = 0
  }
  const observer = new MutationObserver(onChange)
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  document.addEventListener('scroll', onChange, { capture: true })
  for (; calm < frames; calm++) await new Promise(requestAnimationFrame)
  observer.disconnect()
  document.removeEventListener('scroll', onChange, { capture: true })
}

interface Look {
  readonly within: string | undefined
  readonly tags?: string[]
  readonly rules?: string[]
  /** Of the rules with these tags. */
  readonly without?: string[]
}

async function axeFindings(page: Page, { within, tags = [], rules, without = [] }: Look): Promise<string[]> {
  // Once in each document: it is half a megabyte.
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(axe.source)
    await page.evaluate(rememberColours)
  }
  const options: axe.RunOptions = {
    // Words about what is well would only take time.
    resultTypes: ['violations'],
    runOnly: rules ? { type: 'rule', values: rules } : { type: 'tag', values: tags },
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
  }
  return page.evaluate(runAxe, { within, options })
}

/** Runs in the page. */
async function runAxe({ within, options }: Pick<Look, 'within'> & { options: axe.RunOptions }): Promise<string[]> {
  const { axe } = window as unknown as AxeWindow
  const { violations } = await axe.run(within ?? document, options)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replaceAll('\n', ' ')}`),
  )
}

interface Colour {
  r: number
  g: number
  b: number
  alpha: number
}

interface AxeWindow {
  /** Its types leave out its colours. */
  readonly axe: typeof axe & {
    readonly commons: { readonly color: { readonly Color: { prototype: { parseString(text: string): Colour } } } }
  }
}

/**
 * Runs in the page. Axe parses the colours of every text and of all that lies behind it again and again, which is a third
 * of its work; a page has a few.
 */
function rememberColours(): void {
  const { prototype } = (window as unknown as AxeWindow).axe.commons.color.Color
  const { parseString } = prototype
  const known = new Map<string, Colour>()
  prototype.parseString = function (this: Colour, text) {
    const { r, g, b, alpha } = known.get(text) ?? parseString.call(this, text)
    known.set(text, { r, g, b, alpha })
    return Object.assign(this, { r, g, b, alpha })
  }
}

/** What makes the page wider than its window, scrolls sideways inside of it, or is cut off on a button. Code in plain text and tables may. */
export async function sidewaysFindings(page: Page): Promise<string[]> {
  // Not innerWidth: a phone's browser makes its window as wide as a page that is too wide.
  const width = page.viewportSize()?.width ?? 0
  return page.evaluate((room) => {
    const found = [...document.querySelectorAll<HTMLElement>('body *')].flatMap((element) => {
      if (element.scrollWidth <= element.clientWidth + 1 || element.matches('pre, table, input, select, .sr-only *')) {
        return []
      }
      const { overflowX } = getComputedStyle(element)
      if (element.localName === 'button' && overflowX !== 'visible') return [`cut off: ${element.textContent}`]
      const scrolls = overflowX === 'auto' || overflowX === 'scroll'
      return scrolls && element.clientWidth > 1 ? [`sideways: <${element.localName} class="${element.className}">`] : []
    })
    const wide = document.scrollingElement?.scrollWidth ?? 0
    return wide > room ? [`the page is ${wide} px wide`, ...found] : found
  }, width)
}

/** What is pressed with a finger, where there is one, and is less than 44 px high. Links inside of sentences may be. */
function smallTargetFindings(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (!matchMedia('(pointer: coarse)').matches) return []
    const targets = document.querySelectorAll<HTMLElement>('button, summary, select, textarea, a[href], input')
    return [...targets].flatMap((target) => {
      const pressed = target.closest('label') ?? target
      const { height, width } = pressed.getBoundingClientRect()
      const isHidden = !pressed.checkVisibility({ visibilityProperty: true }) || target.closest('.sr-only') !== null
      if (isHidden || width <= 1 || getComputedStyle(target).display === 'inline' || height >= 43.5) return []
      const words = target.getAttribute('aria-label') ?? target.textContent?.slice(0, 40)
      return [`${Math.round(height)} px high: ${target.localName} "${words}"`]
    })
  })
}
