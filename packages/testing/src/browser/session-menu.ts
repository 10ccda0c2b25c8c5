import type { Page } from 'playwright-core'

/** Picks a row of the menu in the header of a session's page. */
export async function pickInSessionMenu(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Session menu' }).click()
  await page.getByRole('menuitem', { name }).click()
}
