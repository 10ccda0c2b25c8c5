import type { Page } from 'playwright-core'
import { withBrowser } from '../browser.ts'
import type { Row } from '../report.ts'
import { percentile, short, spread } from '../statistics.ts'

const ITEMS = 50_000
const VISITS = 30
const ROUNDS = 15
const BUDGET_MS = 100

/** A thread of fifty thousand items: how soon it shows, each key in it, and a search for what is not loaded. */
export async function hugeThread(): Promise<readonly Row[]> {
  return withBrowser(async ({ gateway, page }) => {
    const { id, last } = await gateway.call<{ id: string; last: string }>('fillThread', { items: ITEMS })
    await page.locator(`a[href="/sessions/${id}"]`).first().waitFor()
    const visits: number[] = []
    // The first one loads code.
    await page.evaluate(open, { id, last })
    for (let visit = 0; visit < VISITS; visit++) {
      await page.locator('a[href="/"]').first().click()
      await page.getByRole('region', { name: 'Thread' }).waitFor({ state: 'detached' })
      visits.push(await page.evaluate(open, { id, last }))
    }
    const fresh = await threadKeys(page)
    await page.getByRole('region', { name: 'Thread' }).focus()
    await page.keyboard.press('Control+f')
    const field = page.getByRole('searchbox', { name: 'Search this thread' })
    await field.waitFor()
    const letters: number[] = []
    for (const letter of 'needle-1 in the first') letters.push(await keyed(page, letter))
    await field.fill('Item 0.')
    const searched = await page.evaluate(untilShown, '1 found')
    await page.keyboard.press('Enter')
    const jumped = await page.evaluate(untilFound, 'Item 0.')
    const loaded = await threadKeys(page)
    const what = `thread of ${ITEMS.toLocaleString('en')} items`
    return [
      row(`${what}, from the click until its newest item is painted`, visits),
      row(
        'the same, each key in it (PageUp, PageDown, Home, End, arrows) and in the message box, as it was opened',
        fresh,
      ),
      row('the same, each letter of a search', letters),
      { what: 'the same, all of it searched for what stands first', measured: `${short(searched)} ms` },
      { what: 'the same, gone to what stands first: all of it loaded and drawn', measured: `${short(jumped)} ms` },
      row('the same keys with all of it loaded', loaded),
    ]
  })
}

function row(what: string, times: readonly number[]): Row {
  return {
    what: `${what} (${times.length} times), p50 / p95 / p99`,
    measured: spread(times),
    budget: `p95 ≤ ${BUDGET_MS} ms`,
    met: percentile(times, 0.95) <= BUDGET_MS,
  }
}

async function threadKeys(page: Page): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await page.getByRole('region', { name: 'Thread' }).focus()
    for (const key of ['PageUp', 'ArrowUp', 'PageUp', 'ArrowDown', 'PageDown', 'Home', 'End'])
      times.push(await keyed(page, key))
    await page.getByRole('textbox', { name: 'Message to the agent' }).focus()
    for (const key of ['a', 'Backspace']) times.push(await keyed(page, key))
  }
  return times
}

/** From the press, by the browser's own time, until the next frame is painted. */
async function keyed(page: Page, key: string): Promise<number> {
  const done = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const painted = ({ timeStamp }: KeyboardEvent) =>
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)))
        addEventListener('keydown', painted, { once: true, capture: true })
      }),
  )
  // The page has to listen before the key comes.
  await page.evaluate(() => 0)
  await page.keyboard.press(key)
  return done
}

/** Runs in the page: from the click on the session's link until a frame shows its newest item. */
async function open({ id, last }: { id: string; last: string }): Promise<number> {
  const link = document.querySelector<HTMLElement>(`a[href="/sessions/${id}"]`)
  const from = performance.now()
  link?.click()
  while (!document.querySelector('main')?.textContent.includes(last)) await new Promise(requestAnimationFrame)
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))
  return performance.now() - from
}

/** Runs in the page. */
async function untilShown(words: string): Promise<number> {
  const from = performance.now()
  while (!document.querySelector('search')?.textContent.includes(words)) await new Promise(requestAnimationFrame)
  return performance.now() - from
}

/** Runs in the page. */
async function untilFound(words: string): Promise<number> {
  const from = performance.now()
  while (!document.querySelector('[data-found]')?.textContent.includes(words)) await new Promise(requestAnimationFrame)
  return performance.now() - from
}
