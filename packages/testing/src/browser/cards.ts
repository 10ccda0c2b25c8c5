import type { Locator, Page } from 'playwright-core'
import { until } from '../until.ts'

/** The card of an ask, open or settled. */
export function cardOf(page: Page, askId: string): Locator {
  return page.locator(`[data-ask-id="${askId}"]`)
}

/** Presses a button of a card as a person does who looks at the card first and waits until it is armed. */
export async function press(card: Locator, name: string | RegExp): Promise<void> {
  const button = card.getByRole('button', { name, exact: true })
  await button.scrollIntoViewIfNeeded()
  await settledPlace(card, button)
  await button.click()
}

/** Waits until a card is armed and stays where it is: one that has just moved is armed anew before it notices. */
export async function settledPlace(card: Locator, button: Locator) {
  let last = ''
  return until(async () => {
    const isArmed = (await card.locator('[data-armed="true"]').count()) > 0
    const box = await button.boundingBox()
    const place = JSON.stringify(box)
    const stays = isArmed && place === last
    last = place
    await new Promise((resolve) => setTimeout(resolve, 150))
    return stays ? box : undefined
  }, 'a card that is armed and stays')
}
