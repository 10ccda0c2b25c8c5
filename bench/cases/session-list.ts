import type { Page } from 'playwright-core'
import { withBrowser } from '../browser.ts'
import type { Row } from '../report.ts'
import { percentile, spread } from '../statistics.ts'

const SESSIONS = 10_000
const OPENINGS = 60
const WORDS = ['session', 'agent 77', 'zzzz']
const BUDGET_MS = 100

/** Ten thousand sessions that run: how soon their list is painted, and each key of its search. */
export async function sessionList(): Promise<readonly Row[]> {
  return withBrowser(async ({ gateway, page }) => {
    await gateway.call('startAgents', { count: SESSIONS })
    await page.reload()
    await page.getByRole('link', { name: /Inbox/ }).first().waitFor()
    const opened: number[] = []
    for (let turn = 0; turn < OPENINGS; turn++) {
      opened.push(await page.evaluate(goTo, { path: '/sessions', text: 'Show more sessions' }))
      await page.evaluate(goTo, { path: '/settings', text: 'Settings' })
    }
    await page.evaluate(goTo, { path: '/sessions', text: 'Show more sessions' })
    const keys = await keysOf(page)
    const many = SESSIONS.toLocaleString('en')
    const row = (what: string, times: readonly number[]): Row => ({
      what,
      measured: spread(times),
      budget: `p95 ≤ ${BUDGET_MS} ms`,
      met: percentile(times, 0.95) <= BUDGET_MS,
    })
    return [
      row(`list of ${many} sessions, until its first page is painted (${OPENINGS} times), p50 / p95 / p99`, opened),
      row(`the same, each key of its search until its effect is painted (${keys.length}), p50 / p95 / p99`, keys),
    ]
  })
}

async function keysOf(page: Page): Promise<readonly number[]> {
  const field = page.locator('main').getByLabel('Search sessions')
  await field.focus()
  const times: number[] = []
  for (const key of WORDS.flatMap((word) => [...word, ...Array<string>(word.length).fill('Backspace')])) {
    await page.evaluate(notePaint)
    await page.keyboard.press(key === ' ' ? 'Space' : key)
    times.push(await page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted))
  }
  return times
}

/** Runs in the page: from a change of place, as a link makes it, until a frame shows this text. */
async function goTo({ path, text }: { path: string; text: string }): Promise<number> {
  const from = performance.now()
  history.pushState(null, '', path)
  while (!document.querySelector('main')?.textContent.includes(text)) await new Promise(requestAnimationFrame)
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))
  return performance.now() - from
}

/** Runs in the page: from the next key until the frame after it is painted. */
function notePaint() {
  const painted = new Promise<number>((resolve) => {
    document.addEventListener(
      'keydown',
      ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp))),
      { once: true, capture: true },
    )
  })
  Object.assign(window, { painted })
}
