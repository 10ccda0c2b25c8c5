import { WEB_FOLDER } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { DAMAGED, startOnDamagedRecord, WHOLE } from '@holdpoint/testing/damaged-record'
import { TIMEOUT_MS } from '@holdpoint/testing/long'
import { sessionId } from '@holdpoint/testing/store-contract/store-samples'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

it.each([
  { name: 'accepted', accept: true },
  { name: 'not noticed yet', accept: false },
])(
  'T69 a session whose record was changed ($name) says so, offers no Resume, and leaves the rest to be read',
  {
    timeout: TIMEOUT_MS,
  },
  async ({ accept }) => {
    await using test = await startOnDamagedRecord({ accept, webFolder: WEB_FOLDER })
    await using tab = await openPage(browser, test, {
      path: `/sessions/${sessionId(DAMAGED)}`,
      expected: [/status of 409/],
    })
    const { page } = tab
    const alert = page.getByRole('alert').filter({ hasText: 'changed after it was written' })
    await alert.waitFor()
    const ended = page.getByRole('region', { name: 'Ended' })
    await ended.waitFor()
    expect(await page.getByText('tried again').count()).toBe(0)
    await ended.getByRole('button').waitFor({ state: 'detached' })
    expect(await alert.innerText()).toContain('holdpoint verify')
    expect(await ended.innerText()).toMatch(/^Ended .* ago$/)

    await page.goto(`${test.gateway.url}/sessions/${sessionId(WHOLE)}`)
    await page.getByText(`message ${WHOLE}`).waitFor()
    await ended.getByRole('button', { name: 'Resume' }).waitFor()

    await page.goto(`${test.gateway.url}/history`)
    const history = (n: number) => page.getByRole('main').locator(`a[href="/sessions/${sessionId(n)}"]`)
    await history(WHOLE).waitFor()
    expect(await history(DAMAGED).count()).toBe(0)
  },
)
