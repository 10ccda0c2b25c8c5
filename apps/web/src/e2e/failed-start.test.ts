import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { startPopulatedGateway } from '@holdpoint/testing/browser/populated-gateway'
import { expect, it } from 'vitest'

it('keeps the message of an agent that ended before it got it, and sends it with another try', async () => {
  await using busy = await startPopulatedGateway()
  const browser = await launchChromium()
  try {
    await using tab = await openPage(browser, busy, { path: '/sessions' })
    const { page } = tab
    await page.locator('main').getByText('Broken build').click()
    const kept = page.getByRole('region', { name: 'Not answered' })
    await kept.getByText('Mend the build.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByLabel('Thread').getByText('Mend the build.').waitFor()
    expect(await kept.count()).toBe(0)
  } finally {
    await browser.close()
  }
})
