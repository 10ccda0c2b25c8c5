import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

const REFUSED = [/status of 401|no valid credentials|WebSocket/]

let browser: Browser
let test: TestGateway
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

it('logs in by a link that is opened in a tab of the app, and leaves no code in the address', async () => {
  await using tab = await openPage(browser, test, { role: undefined, expected: REFUSED })
  const { page } = tab
  await page.getByText('This browser is not logged in.').waitFor()
  const { code } = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  await page.evaluate((fragment) => window.location.assign(fragment), `#login=${code}`)
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  expect(page.url()).toBe(`${test.api.url}/`)
  await page.goBack()
  expect(page.url()).not.toContain(code)
})

it('leaves no drafts behind for whoever uses the browser next', async () => {
  const { session } = await test.session()
  await using tab = await openPage(browser, test, { path: `/sessions/${session.id}`, expected: REFUSED })
  const { page } = tab
  await page.getByRole('textbox', { name: 'Message to the agent' }).fill('a secret')
  const kept = () => page.evaluate(() => JSON.stringify(sessionStorage))
  await until(async () => (await kept()).includes('a secret'), 'the draft to be kept')
  const { devices } = await test.api.ok<{ devices: { id: string; kind: string }[] }>('GET', '/api/devices')
  for (const { id, kind } of devices) if (kind === 'browser') await test.api.ok('DELETE', `/api/devices/${id}`)
  await page.getByText('This browser is not logged in.').waitFor()
  await page.getByText('The login of this browser has ended').waitFor()
  await until(async () => !(await kept()).includes('a secret'), 'the draft to go')
})

it('hides nothing in the title of the tab', async () => {
  const { session } = await test.session({ title: 'pay \u202egnp.exe\u202c now' })
  await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
  await until(async () => (await tab.page.title()).includes('pay'), 'the title')
  expect(await tab.page.title()).not.toMatch(/[\u202a-\u202e]/)
})

it('looks for moves only of the cards that are on screen', async () => {
  const { agent } = await test.session()
  for (let round = 0; round < 24; round++) await test.openAsk(agent)
  await using tab = await openPage(browser, test)
  const { page } = tab
  await page.locator('[data-armed="true"]').first().waitFor()
  const looks = await page.evaluateHandle(() => {
    const counts = new Map<Element, number>()
    const original = Element.prototype.getBoundingClientRect
    Element.prototype.getBoundingClientRect = function (this: Element) {
      if (this.hasAttribute('data-armed')) counts.set(this, (counts.get(this) ?? 0) + 1)
      return original.call(this)
    }
    return counts
  })
  await until(() => looks.evaluate((counts) => Math.max(0, ...counts.values()) >= 5), 'five rounds')
  const outside = await looks.evaluate(
    (counts) => [...counts.keys()].filter((area) => (area.getClientRects()[0]?.top ?? 0) > window.innerHeight).length,
  )
  expect(await page.locator('[data-armed]').count()).toBeGreaterThan(20)
  expect(outside).toBe(0)
})
