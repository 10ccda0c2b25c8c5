import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, settledPlace } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { letPass } from '@holdpoint/testing/browser/page-clock'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let test: TestGateway
let browser: Browser
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

const TOO_EARLY = /That press did not count/

/** Waits for what comes by the network, in a page whose clock stands still. */
async function inTime(page: Page, look: () => Promise<boolean>, what: string) {
  await until(async () => {
    if (await look()) return true
    await letPass(page, 20)
  }, what)
}

describe.each([1440, 390] as const)('a press that comes too early, at %i px (T29)', (width) => {
  async function fresh() {
    const { agent, session } = await test.session()
    const tab = await openPage(browser, test, { width, clock: 'still', path: `/sessions/${session.id}` })
    const raised = await test.openAsk(agent, {
      tool: { name: 'Bash', input: { command: 'ls' } },
      title: 'ls',
      context: { cwd: '/w', command: 'ls' },
    })
    const card = cardOf(tab.page, raised.ask.id)
    const allow = card.getByRole('button', { name: 'Allow once' })
    await inTime(tab.page, async () => (await allow.count()) > 0, 'the card')
    return { ...tab, ...raised, card, allow }
  }
  const isOpen = async (id: string) =>
    (await test.api.ok<{ outcome?: object }>('GET', `/api/asks/${id}`)).outcome === undefined

  it.each(['pointer', 'key'] as const)('says so, to everybody, and counts when it comes again: %s', async (way) => {
    await using tab = await fresh()
    const { page, card, allow, ask, outcome } = tab
    const press = () => (way === 'key' ? page.keyboard.press('a') : clickMiddle(allow))
    if (way === 'key') await card.focus()
    const before = await allow.boundingBox()
    await press()
    await card.getByRole('status').filter({ hasText: TOO_EARLY }).waitFor()
    expect(await isInSight(card.getByText(TOO_EARLY))).toBe(true)
    // The words push nothing away.
    expect(await allow.boundingBox()).toEqual(before)
    await screenshots(page, `too-early-${way}`)
    expect(await isOpen(ask.id)).toBe(true)
    await settledPlace(card, allow)
    await press()
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    await inTime(page, async () => (await page.getByText(TOO_EARLY).count()) === 0, 'the words to go')
  })

  it('takes its words back after a while', async () => {
    await using tab = await fresh()
    await clickMiddle(tab.allow)
    await tab.card.getByText(TOO_EARLY).waitFor()
    await letPass(tab.page, 5000)
    await tab.card.getByText(TOO_EARLY).waitFor({ state: 'detached' })
  })
})

async function clickMiddle(button: Locator) {
  // Not click(), which waits for a button that stands still; what is here needs no wait.
  const box = await button.boundingBox()
  if (!box) throw new Error('the button is not there')
  await button.page().mouse.click(box.x + box.width / 2, box.y + box.height / 2)
}

function isInSight(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { top, left, right, bottom } = node.getBoundingClientRect()
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth && node.checkVisibility()
  })
}
