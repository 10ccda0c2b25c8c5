import type { Page } from 'playwright-core'
import { withBrowser } from '../browser.ts'
import type { Row } from '../report.ts'
import { short } from '../statistics.ts'

const ITEMS = 10_000
const WHEEL_STEPS = 400

/** A thread of ten thousand items: how soon it shows, and whether the page ever stands still while it is scrolled. */
export async function longThread(): Promise<readonly Row[]> {
  return withBrowser(async ({ gateway, page }) => {
    const { id, last } = await gateway.call<{ id: string; last: string }>('fillThread', { items: ITEMS })
    await page.evaluate(noteLongTasks)
    await page.evaluate(standStill, 120)
    if (Math.max(0, ...(await takeLongTasks(page))) < 100) throw new Error('long tasks are not noticed')
    await page.locator(`a[href="/sessions/${id}"]`).first().waitFor()
    const opened = await page.evaluate(open, { id, last })
    const openingTasks = await takeLongTasks(page)

    await page.mouse.move(900, 400)
    for (let step = 0; step < WHEEL_STEPS; step++) {
      await page.mouse.wheel(0, step < WHEEL_STEPS * 0.75 ? -900 : 900)
      await page.evaluate(() => new Promise(requestAnimationFrame))
    }
    const scrollingTasks = await takeLongTasks(page)
    const longest = Math.max(0, ...scrollingTasks)
    return [
      {
        what: `thread of ${ITEMS.toLocaleString('en')} items, from the click to its newest item`,
        measured: `${short(opened)} ms (longest task: ${told(openingTasks)})`,
        budget: '< 1 s',
        met: opened < 1000,
      },
      {
        what: `longest task while it is scrolled, ${WHEEL_STEPS} steps of 900 px`,
        measured: told(scrollingTasks),
        budget: '≤ 100 ms',
        met: longest <= 100,
      },
    ]
  })
}

/** The browser tells of tasks over 50 ms. */
function told(tasks: readonly number[]): string {
  return tasks.length === 0 ? 'none over 50 ms' : `${short(Math.max(...tasks))} ms`
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
function noteLongTasks() {
  const tasks: number[] = []
  const take = (entries: PerformanceEntryList) => tasks.push(...entries.map((entry) => entry.duration))
  const observer = new PerformanceObserver((list) => take(list.getEntries()))
  observer.observe({ entryTypes: ['longtask'] })
  Object.assign(window, {
    takeLongTasks() {
      take(observer.takeRecords())
      return tasks.splice(0)
    },
  })
}

/** Runs in the page, as a task of its own. */
function standStill(ms: number) {
  return new Promise<void>((resolve) => {
    setTimeout(() => {
      const end = performance.now() + ms
      while (performance.now() < end);
      setTimeout(resolve, 50)
    })
  })
}

function takeLongTasks(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { takeLongTasks(): number[] }).takeLongTasks())
}
