import type { Locator, Page } from 'playwright-core'
import { until } from '../until.ts'
import { canPutForward, letPass } from './page-clock.ts'

/** The card of an ask, open or settled. */
export function cardOf(page: Page, askId: string): Locator {
  return page.locator(`[data-ask-id="${askId}"]`)
}

/** How often a person presses again who is told that a press did not count. */
const PRESSES = 3

/**
 * Presses a button of a card as a person does who looks at the card first and waits until it is armed. A card that moved at
 * that moment says that the press did not count; then it is pressed again.
 */
export async function press(card: Locator, name: string | RegExp): Promise<void> {
  const button = card.getByRole('button', { name, exact: true })
  const early = card.getByText('That press did not count')
  for (let presses = 0; presses < PRESSES; presses++) {
    await button.scrollIntoViewIfNeeded()
    await settledPlace(card, button)
    // Said of another button. After a press of this one the note is about that press.
    const toldBefore = presses === 0 && (await early.count()) > 0
    await button.click()
    if (toldBefore || (await early.count()) === 0) return
  }
  throw new Error(`none of ${PRESSES} presses of ${name} counted`)
}

/** Brings the end of a box that scrolls on screen. */
export async function scrollToEnd(box: Locator): Promise<void> {
  await box.evaluate((element) => {
    element.scrollTo(0, element.scrollHeight)
    element.lastElementChild?.scrollIntoView({ block: 'center' })
  })
}

/** How long a look waits for the next: where time costs nothing, until a card is armed and would have noticed a move. */
const stepMs = (page: Page) => (canPutForward(page) ? 600 : 50)
/** For longer than a card takes to notice that it has moved. */
const UNMOVED_MS = 150

/** Waits until the buttons of a card are armed. */
export async function armed(card: Locator): Promise<void> {
  await until(async () => {
    if ((await card.locator('[data-armed="true"]').count()) > 0) return true
    await letPass(card.page(), stepMs(card.page()))
  }, 'a card that is armed')
}

/** Waits until a card is armed and stays where it is: one that has just moved is armed anew before it notices. */
export async function settledPlace(card: Locator, button: Locator) {
  const step = stepMs(button.page())
  let last = ''
  let unmovedMs = 0
  return until(async () => {
    const [areas, box] = await Promise.all([card.locator('[data-armed="true"]').count(), button.boundingBox()])
    const place = JSON.stringify(box)
    unmovedMs = place === last ? unmovedMs + step : 0
    last = place
    if (areas > 0 && unmovedMs >= UNMOVED_MS) return box
    await letPass(button.page(), step)
  }, 'a card that is armed and stays')
}
