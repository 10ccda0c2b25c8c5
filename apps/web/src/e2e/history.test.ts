import { readFile } from 'node:fs/promises'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { type PopulatedGateway, startPopulatedGateway } from '@holdpoint/testing/browser/populated-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
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

const DENIED = 'Open a pull request instead.'

it('finds an ask by the words of its denial, and says who saw it and where it is in the record', async () => {
  await using tab = await openPage(browser, busy, { path: '/history' })
  const { page } = tab
  const lines = page.getByRole('main').locator('li')
  await page.getByText(DENIED).waitFor()
  const all = await lines.count()
  expect(all).toBeGreaterThan(1)
  await page.getByLabel('Search the history').fill('PULL request')
  await until(async () => (await lines.count()) === 1, 'one line')
  await page.getByText(DENIED).click()
  await page.getByText('head of the session').waitFor()
  const text = await lines.first().innerText()
  expect(text).toContain('seen by')
  expect(text).toContain('waited')
  expect(text).toMatch(/event \d+ [0-9a-f]{64}/)

  await page.getByLabel('Search the history').fill('nowhere at all')
  await page.getByText('Nothing matches this search.').waitFor()
  await page.getByLabel('Search the history').fill('')
  await page.getByLabel('Outcome').selectOption('denied')
  await until(async () => (await lines.count()) < all && (await page.getByText(DENIED).isVisible()), 'the denied ones')
})

it('downloads what the search has found', async () => {
  await using tab = await openPage(browser, busy, { path: '/history' })
  const { page } = tab
  await page.getByLabel('Search the history').fill('pull request')
  await until(async () => (await page.getByRole('main').locator('li').count()) === 1, 'one line')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('holdpoint-history.csv')
  const text = await readFile(await file.path(), 'utf8')
  expect(text.split('\r\n')).toHaveLength(3)
  expect(text).toContain(DENIED)
})
