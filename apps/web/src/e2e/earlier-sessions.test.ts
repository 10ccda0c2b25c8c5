import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findings } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { pickInSessionMenu } from '@holdpoint/testing/browser/session-menu'
import { eventsOf, sampleAppend, sampleSession } from '@holdpoint/testing/store-contract/store-samples'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** The gateway names 200 of them by itself. */
const ENDED = 216

let browser: Browser
let test: TestGateway
beforeAll(async () => {
  const store = createMemoryStore()
  for (let n = 1; n <= ENDED; n++) {
    const session = sampleSession(n, { state: 'dead', ...(n === 1 && { title: 'The needle' }) })
    await store.append([{ ...sampleAppend({ n, after: 0, events: [eventsOf(n, n).started(session)] }), session }])
  }
  ;[test, browser] = await Promise.all([startAppGateway({ store }), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

const rows = (page: Page) => page.locator('main a[href^="/sessions/ses_"]')
const poll = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 10_000, interval: 50 })

it('shows sessions page by page, those of long ago too', async () => {
  await using tab = await openPage(browser, test, { path: '/sessions' })
  const { page } = tab
  const main = page.locator('main')
  await poll(() => rows(page).count()).toBe(100)
  await main.getByRole('button', { name: 'Show more sessions' }).click()
  await poll(() => rows(page).count()).toBe(200)
  await main.getByRole('button', { name: 'Show earlier sessions' }).click()
  await poll(() => rows(page).count()).toBe(ENDED)
  expect(await main.getByRole('heading', { name: 'Earlier' }).count()).toBe(1)
  expect(await main.getByRole('button', { name: /^Show / }).count()).toBe(0)

  await main.getByRole('button', { name: 'Hide ended' }).click()
  await main.getByText('No session to show here.').waitFor()
  await page.reload()
  await main.getByText('No session to show here.').waitFor()
  await main.getByRole('button', { name: 'Hide ended' }).click()
})

it('finds a session of long ago, which can be opened, renamed and archived, and is found again', async () => {
  await using tab = await openPage(browser, test, { path: '/sessions' })
  const { page } = tab
  const main = page.locator('main')
  const search = main.getByLabel('Search sessions')
  await search.fill('zzzz')
  await main.getByText('No session matches.').waitFor()
  expect(await main.getByRole('button', { name: 'Search further back' }).count()).toBe(0)
  // The oldest of all: the gateway named none of them by itself.
  await search.fill('NEEDLE')
  await poll(() => rows(page).count()).toBe(1)
  await rows(page).first().click()
  await page.getByRole('heading', { level: 1, name: 'The needle' }).waitFor()

  await pickInSessionMenu(page, 'Rename…')
  await page.getByLabel('Title').fill('Haystack')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Haystack' }).waitFor()
  await pickInSessionMenu(page, 'Archive')
  await page.getByText('It is out of the lists until').waitFor()
  expect(await findings(page)).toEqual([])
  await screenshots(page, 'session-archived')

  await page.goto(new URL('/sessions', page.url()).href)
  await main.getByLabel('Search sessions').waitFor()
  expect(await main.getByRole('link', { name: /Haystack/ }).count()).toBe(0)
  await main.getByRole('button', { name: 'Archived' }).click()
  await main.getByRole('link', { name: /Haystack.*archived/ }).click()
  await page.getByRole('button', { name: 'Put it back' }).click()
  await page.getByText('It is out of the lists until').waitFor({ state: 'detached' })
})

it('does not say that it knows how many ended earlier, and links to them', async () => {
  await using tab = await openPage(browser, test)
  const nav = tab.page.getByRole('navigation', { name: 'Main' })
  const link = nav.getByRole('link', { name: /^and at least 19\d that ended earlier$/ })
  await link.waitFor()
  expect(await link.evaluate((element) => getComputedStyle(element).textDecorationLine)).toBe('underline')
  await link.click()
  await tab.page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
})
