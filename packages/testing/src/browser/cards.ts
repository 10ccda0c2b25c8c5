import type { Locator, Page } from 'playwright-core'

/** The card of an ask, open or settled. */
export function cardOf(page: Page, askId: string): Locator {
  return page.locator(`[data-ask-id="${askId}"]`)
}

/** Presses a button of a card as a person does who looks at the card first and waits until it is armed. */
export async function press(card: Locator, name: string | RegExp): Promise<void> {
  const button = card.getByRole('button', { name, exact: true })
  await button.scrollIntoViewIfNeeded()
  await card.locator('[data-armed="true"]').last().waitFor()
  await button.click()
}
