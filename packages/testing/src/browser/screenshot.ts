import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const FOLDER = fileURLToPath(new URL('../../../../dist/screenshots', import.meta.url))

/** Leaves pictures for people to look at, light and dark: `dist/screenshots/<name>-<width>-<theme>.png`. */
export async function screenshots(page: Page, name: string): Promise<void> {
  const width = page.viewportSize()?.width
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.screenshot({ path: `${FOLDER}/${name}-${width}-${theme}.png`, animations: 'disabled' })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
