import type { Page } from 'playwright-core'

const controlled = new WeakSet<Page>()
/** Further on than the time that a slow machine takes between two calls. */
const AHEAD_MS = 60_000

/**
 * Gives a page, before it is loaded, a clock that `page.clock.runFor` can put forward. `still`: that alone moves it, so
 * that a slow machine changes nothing; else time passes as ever, and only who wants to does not wait for it.
 */
export async function controlClock(page: Page, how: 'running' | 'still'): Promise<void> {
  const now = Date.now()
  await page.clock.install({ time: now })
  if (how === 'still') await page.clock.pauseAt(now + AHEAD_MS)
  controlled.add(page)
}

/** Whether the page has a clock of that sort: time costs nothing there. */
export function canPutForward(page: Page): boolean {
  return controlled.has(page)
}

/** Lets time pass in the page: at once where its clock can be put forward. */
export async function letPass(page: Page, ms: number): Promise<void> {
  if (canPutForward(page)) await page.clock.runFor(ms)
  else await new Promise((resolve) => setTimeout(resolve, ms))
}
