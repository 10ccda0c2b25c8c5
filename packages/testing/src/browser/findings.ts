import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * What is wrong with the page as it is now: for axe, for a finger, and for a window of this width. `within` is what axe
 * looks at; the whole page unless told otherwise.
 */
export async function findings(page: Page, within?: string): Promise<string[]> {
  const isPhone = await page.evaluate(() => matchMedia('(pointer: coarse)').matches)
  const axe = axeFor(page, within).withTags(TAGS)
  return [
    ...(await axeFindings(axe)),
    ...(await sidewaysFindings(page)),
    ...(isPhone ? await smallTargetFindings(page) : []),
  ]
}

/** What another theme can spoil: the contrast. */
export async function contrastFindings(page: Page, within?: string): Promise<string[]> {
  return axeFindings(axeFor(page, within).withRules(['color-contrast']))
}

/** Without what would only take time: words about all that is well, and a second page that collects from frames. */
function axeFor(page: Page, within: string | undefined): AxeBuilder {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode()
  return within === undefined ? axe : axe.include(within)
}

async function axeFindings(axe: AxeBuilder): Promise<string[]> {
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

/** What is pressed with a finger and is less than 44 px high. Links inside of sentences may be. */
function smallTargetFindings(page: Page): Promise<string[]> {
  return page.evaluate(() => {
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
