import { fileURLToPath } from 'node:url'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import type { Locator, Page } from 'playwright-core'

const GALLERY = fileURLToPath(new URL('../../../../dist/web-gallery', import.meta.url))

/** A gateway that serves the gallery of cards, under the app's content security policy. */
export const startGallery = (options: Parameters<typeof startTestGateway>[0] = {}) =>
  startTestGateway({ webFolder: GALLERY, ...options })

/** The address of one case. */
export const pathOf = (id: string) => `/gallery.html?case=${id}`

/** From case to case without a new page, which is what takes the time. */
export async function goToCase(page: Page, id: string): Promise<Locator> {
  // By way of no case at all: the one before may be the same, with a panel open.
  await page.evaluate(() => {
    location.hash = 'none'
  })
  await page.locator('[data-case], [data-answers]').first().waitFor({ state: 'detached' })
  await page.evaluate((hash) => {
    location.hash = hash
  }, id)
  const shown = page.locator(`[data-case="${id}"]`)
  await shown.waitFor()
  return shown
}
