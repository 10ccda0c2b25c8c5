import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { focused } from '@holdpoint/testing/browser/focus'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { type PopulatedGateway, startPopulatedGateway } from '@holdpoint/testing/browser/populated-gateway'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
let busy: PopulatedGateway
beforeAll(async () => {
  ;[busy, browser] = await Promise.all([startPopulatedGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await busy[Symbol.asyncDispose]()
})

const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to' })
const field = (page: Page) => palette(page).getByRole('combobox', { name: 'Session, project or page' })
const marked = (page: Page) => palette(page).getByRole('option', { selected: true })
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

it('leads from anywhere to anywhere by keys alone', async () => {
  await using tab = await openPage(browser, busy, { reducedMotion: true })
  const { page } = tab
  const { keyboard } = page
  await page.locator('[data-ask-id]').first().waitFor()

  // What waits is on top; Escape leaves everything as it was, the focus too.
  await keyboard.press('j')
  const before = await focused(page)
  await keyboard.press('Control+k')
  await field(page).waitFor()
  await expect.poll(() => focused(page)).toBe('input Session, project or page')
  expect(await marked(page).textContent()).toContain('needs answer')
  await keyboard.press('ArrowDown')
  expect(await marked(page).textContent()).toContain('needs answer')
  // It answers nothing: the only button closes it.
  expect(await palette(page).getByRole('button').count()).toBe(1)
  expect(await findingsInBothThemes(page, 'dialog[open]')).toEqual([])
  await screenshots(page, 'palette/open')
  await keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })
  expect(await focused(page)).toBe(before)

  await keyboard.press('Meta+k')
  await field(page).waitFor()
  await keyboard.type('handb fre')
  await screenshots(page, 'palette/found')
  await keyboard.press('Enter')
  await title(page, 'Translate the handbook to French').waitFor()
  await palette(page).waitFor({ state: 'detached' })

  // From inside a text field; the session that is open has its changed files there.
  await page.getByRole('textbox', { name: 'Message' }).focus()
  await keyboard.type('half a')
  await keyboard.press('Control+k')
  await field(page).waitFor()
  await keyboard.type('rules')
  await keyboard.press('Enter')
  await title(page, 'Rules').waitFor()
  // Single letters are keys again: the typing has ended.
  await keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  // Another dialog is open.
  await keyboard.press('Control+k')
  await keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' })
  expect(await palette(page).count()).toBe(0)

  await keyboard.press('Control+k')
  await field(page).waitFor()
  await keyboard.type('payments')
  await palette(page).getByRole('option', { name: 'sessions of this project' }).waitFor()
  await keyboard.press('ArrowUp')
  expect(await marked(page).textContent()).toBe('Search all sessions for “payments”')
  await keyboard.press('Enter')
  await title(page, 'Sessions').waitFor()
  await expect.poll(() => page.locator('main').getByLabel('Search sessions').inputValue()).toBe('payments')
})

it('leads there by touch', async () => {
  await using tab = await openPage(browser, busy, { width: 390, reducedMotion: true })
  const { page } = tab
  const button = page.getByRole('button', { name: 'Go to' }).filter({ visible: true })
  await page.locator('[data-ask-id]').first().waitFor()
  expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await button.tap()
  await field(page).waitFor()
  expect((await marked(page).boundingBox())?.height).toBeGreaterThanOrEqual(44)
  expect(await findingsInBothThemes(page, 'dialog[open]')).toEqual([])
  await screenshots(page, 'palette/open')
  await field(page).fill('pricing')
  await screenshots(page, 'palette/found')
  await palette(page).getByRole('option', { name: 'Pricing page' }).tap()
  await title(page, 'Pricing page').waitFor()
  await palette(page).waitFor({ state: 'detached' })
})
