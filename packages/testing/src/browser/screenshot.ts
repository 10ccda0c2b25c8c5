import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { LONG } from '../long.ts'

const FOLDER = fileURLToPath(new URL('../../../../dist/screenshots', import.meta.url))

/**
 * Leaves pictures for people to look at, light and dark: `dist/screenshots/<name>-<width>-<theme>.png`. Of what is on
 * screen, or of that part of it alone. No test asserts anything of them, so only the long run takes the time.
 */
export async function screenshots(page: Page, name: string, part = 'body'): Promise<void> {
  if (!LONG) return
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const box = (await page.locator(part).filter({ visible: true }).boundingBox()) ?? { x: 0, y: 0, width, height }
  const [x, y] = [Math.max(0, box.x), Math.max(0, box.y)]
  const clip = { x, y, width: Math.min(width, box.x + box.width) - x, height: Math.min(height, box.y + box.height) - y }
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.screenshot({ path: `${FOLDER}/${name}-${width}-${theme}.png`, animations: 'disabled', clip })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
