import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * What is wrong with the page as it is now: for axe, for a finger, and for a window of this width. `within` is what axe
 * looks at; the whole page unless told otherwise.
 */
export async function findings(page: Page, within?: string): Promise<string[]> {
  await page.evaluate(rest, CALM_FRAMES)
  return [
    ...(await axeFindings(page, { within, tags: TAGS })),
    ...(await sidewaysFindings(page)),
    ...(await smallTargetFindings(page)),
  ]
}

/**
 * The same, and what another theme can spoil: the contrast, when it is dark. Of a page without motion, where a colour is
 * what it is as soon as the theme changes.
 */
export async function findingsInBothThemes(page: Page, within?: string): Promise<string[]> {
  const light = await findings(page, within)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await axeFindings(page, { within, rules: ['color-contrast'] })
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
}

async function axeFindings(page: Page, { within, tags, rules }: Look): Promise<string[]> {
  // Once in each document: it is half a megabyte, which axe's own builder would send and read anew twice for each look.
  const isThere = await page.evaluate(() => 'axe' in window)
  // Without what would only take time: words about all that is well, and a second page that collects from frames.
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: 'void 0' }) })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
  if (within !== undefined) axe.include(within)
  if (tags) axe.withTags(tags)
  if (rules) axe.withRules(rules)
  const { violations } = await axe.analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replaceAll('\n', ' ')}`),
  )
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
