import { fileURLToPath } from 'node:url'
import { bundlePage } from '@holdpoint/testing/browser/bundle-page'
import { press, settledPlace } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { controlClock } from '@holdpoint/testing/browser/page-clock'
import { until } from '@holdpoint/testing/until'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

let browser: Browser
let script: string
beforeAll(async () => {
  script = await bundlePage(here('../testing/added-card-page.tsx'))
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** What of the app's own style a region needs to scroll inside and to know its end. */
const STYLE = '.overflow-auto { overflow: auto } .h-px { height: 1px } .-mt-px { margin-top: -1px }'

async function show(name: string) {
  const page = await browser.newPage()
  await controlClock(page, 'running')
  await page.addStyleTag({ content: STYLE })
  await page.addScriptTag({ content: script })
  await page.evaluate((chosen) => window.show(chosen), name)
  return { page, card: page.locator('[data-ask-id="ask_1"]') }
}

/** By the mouse, whatever the button says of itself. */
async function pressAnyway(page: Page, card: Locator) {
  const place = await settledPlace(card, card.getByRole('button', { name: 'Submit' }))
  if (!place) throw new Error('the button is not on the page')
  await page.mouse.click(place.x + 8, place.y + 8)
}

async function answers(page: Page): Promise<unknown[]> {
  return JSON.parse(await page.locator('output').innerText()) as unknown[]
}

describe("a card of an app's own, in a browser", () => {
  it('sends what the person chose, bound to the ask that they saw (I2)', async () => {
    const { page, card } = await show('picker')
    const submit = card.getByRole('button', { name: 'Submit' })
    expect(await submit.getAttribute('aria-disabled')).toBe('true')
    await card.getByRole('radio', { name: 'tuesday.txt' }).check()
    await press(card, 'Submit')
    expect(await answers(page)).toEqual([
      { id: 'ask_1', kind: 'submit', digest: 'digest of ask_1', content: { file: 'tuesday.txt' } },
    ])
    await page.close()
  })

  it('sends by Ctrl+Enter from a field inside it', async () => {
    const { page, card } = await show('picker')
    const radio = card.getByRole('radio', { name: 'monday.txt' })
    await radio.check()
    await settledPlace(card, card.getByRole('button', { name: 'Submit' }))
    await radio.press('Control+Enter')
    expect(await answers(page)).toMatchObject([{ content: { file: 'monday.txt' } }])
    await page.close()
  })

  it('decides nothing by itself, however it presses', async () => {
    const { page, card } = await show('pushy')
    await settledPlace(card, card.getByRole('button', { name: 'Submit' }))
    const pressed = async () => Number(await card.locator('[data-pressed]').getAttribute('data-pressed'))
    const before = await pressed()
    await until(async () => (await pressed()) > before + 5, 'more presses on armed buttons')
    expect(await answers(page)).toEqual([])
    await press(card, 'Submit')
    expect(await answers(page)).toHaveLength(1)
    await page.close()
  })

  it('offers nothing to send that the gateway would refuse, and says why', async () => {
    const { page, card } = await show('wrong')
    await card.getByRole('button', { name: 'Choose badly' }).click()
    await card.getByText('file must be one of its options').waitFor()
    await pressAnyway(page, card)
    expect(await answers(page)).toEqual([])
    await page.close()
  })

  it('gives way to the standard card when it breaks, and takes no other card with it', async () => {
    const { page, card } = await show('broken')
    await card.getByRole('radio', { name: 'monday.txt' }).check()
    await press(card, 'Submit')
    expect(await answers(page)).toMatchObject([{ id: 'ask_1', content: { file: 'monday.txt' } }])
    expect(await page.locator('[data-ask-id="ask_2"]').getByRole('button', { name: 'Allow once' }).count()).toBe(1)
    await page.close()
  })

  it('takes no answer before the input of the call was on screen to its end (T26)', async () => {
    const { page, card } = await show('long')
    await card.getByRole('radio', { name: 'monday.txt' }).check()
    await card.getByRole('button', { name: 'Submit' }).scrollIntoViewIfNeeded()
    await pressAnyway(page, card)
    expect(await answers(page)).toEqual([])
    await card.getByText('folder 199').scrollIntoViewIfNeeded()
    await card.getByRole('group', { name: 'Input of the call' }).evaluate((box) => box.scrollTo(0, box.scrollHeight))
    await card.getByText('Scroll to the end to answer').filter({ visible: true }).waitFor({ state: 'detached' })
    await press(card, 'Submit')
    expect(await answers(page)).toHaveLength(1)
    await page.close()
  })
})
