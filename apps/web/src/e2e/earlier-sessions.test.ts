import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
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
    const session = sampleSession(n, { state: 'dead' })
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

it('shows sessions of long ago by one press, and searches those that are loaded', async () => {
  await using tab = await openPage(browser, test, { path: '/sessions' })
  const { page } = tab
  const main = page.locator('main')
  await poll(() => rows(page).count()).toBe(200)

  const search = main.getByLabel('Search sessions')
  await search.fill('zzzz')
  await main.getByText('No session matches.').waitFor()
  await main.getByText('Only the sessions loaded so far are searched.').waitFor()
  await search.fill('')

  await main.getByRole('button', { name: 'Show earlier sessions' }).click()
  await poll(() => rows(page).count()).toBe(ENDED)
  expect(await main.getByRole('heading', { name: 'Earlier' }).count()).toBe(1)
  expect(await main.getByRole('button', { name: 'Show earlier sessions' }).count()).toBe(0)

  await search.fill('zzzz')
  await main.getByText('No session matches.').waitFor()
  expect(await rows(page).count()).toBe(0)
  expect(await main.getByText('Only the sessions loaded so far are searched.').count()).toBe(0)
})

it('does not say that it knows how many ended earlier, and links to them', async () => {
  await using tab = await openPage(browser, test)
  const nav = tab.page.getByRole('navigation', { name: 'Main' })
  const link = nav.getByRole('link', { name: 'and at least 194 that ended earlier' })
  await link.waitFor()
  expect(await link.evaluate((element) => getComputedStyle(element).textDecorationLine)).toBe('underline')
  await nav.getByLabel('Search sessions').fill('zzzz')
  await nav.getByText('Sessions that ended long ago are not searched.').waitFor()
  await nav.getByRole('link', { name: 'All sessions' }).click()
  await tab.page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
})
