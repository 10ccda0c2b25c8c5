import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { press } from './cards.ts'
import { launchChromium } from './chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** A page with the outline of a card whose first `early` presses do not count, which it says until one does. */
async function openCard(early: number) {
  const page = await browser.newPage()
  await page.setContent(
    '<article><div data-armed="true"><button id="deny">Deny…</button><button id="allow">Allow once</button></div><p></p></article>',
  )
  await page.evaluate((count) => {
    let presses = 0
    document.getElementById('allow')?.addEventListener('click', () => {
      const [note] = document.getElementsByTagName('p')
      if (note) note.textContent = ++presses > count ? '' : 'That press did not count: press again.'
      document.body.dataset.presses = String(presses)
    })
  }, early)
  return {
    card: page.locator('article'),
    presses: () => page.evaluate(() => Number(document.body.dataset.presses ?? 0)),
    [Symbol.asyncDispose]: () => page.close(),
  }
}

it.each([0, 1, 2])('presses again after each of %i presses that did not count, and no more', async (early) => {
  await using page = await openCard(early)
  await press(page.card, 'Allow once')
  expect(await page.presses()).toBe(early + 1)
})

it('throws after three presses that did not count', async () => {
  await using page = await openCard(3)
  await expect(press(page.card, 'Allow once')).rejects.toThrow('none of 3 presses of Allow once counted')
  expect(await page.presses()).toBe(3)
})

it('presses once where the card says it of another button', async () => {
  await using page = await openCard(3)
  await page.card.getByRole('button', { name: 'Allow once' }).click()
  await press(page.card, 'Deny…')
  expect(await page.presses()).toBe(1)
})
