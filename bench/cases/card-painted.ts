import { withBrowser } from '../browser.ts'
import type { Row } from '../report.ts'
import { median, percentile, short, spread } from '../statistics.ts'

const SESSIONS = 50
const ASKS = 60
/** The page keeps this many lines of settled asks. */
const LINES = 100

/**
 * From the commit of an ask until its card is on the screen, while fifty other sessions talk; then the same when the page
 * is full of settled ones.
 */
export async function cardPainted(): Promise<readonly Row[]> {
  return withBrowser(async ({ gateway, page }) => {
    await page.evaluate(noteCards)
    await gateway.call('chatter', { sessions: SESSIONS })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable')
    const workedMs = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics')
      return 1000 * (metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN)
    }
    const before = await workedMs()
    const all: number[] = []
    for (let index = 0; index < LINES + ASKS; index++) {
      const { id, at } = await gateway.call<{ id: string; at: number }>('raiseOne')
      const painted = await page.evaluate((ask) => paintedCards().painted(ask), id)
      all.push(painted - at)
      await gateway.call('settleOne', { id })
    }
    const worked = (await workedMs()) - before
    await gateway.call('quiet')
    const [times, late] = [all.slice(0, ASKS), all.slice(-ASKS)]
    const growth = median(late) / median(times)
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
    return [
      {
        what: `ask committed to card painted, ${SESSIONS} sessions talking, p50 / p95 / p99`,
        measured: spread(times),
        budget: 'p50 ≤ 50 ms, p95 ≤ 150 ms',
        met: p50 <= 50 && p95 <= 150,
      },
      {
        what: `the same with ${LINES} settled asks on the page, p50 / p95 / p99`,
        measured: spread(late),
        against: `${short(median(times))} ms without`,
        ratio: growth,
        budget: '≤ 1.5',
        met: growth <= 1.5,
      },
      {
        what: "the page's own work for each of them, from raised to settled",
        measured: `${short(worked / all.length)} ms`,
      },
    ]
  })
}

interface PaintedCards {
  painted(askId: string): Promise<number>
}
declare function paintedCards(): PaintedCards

/** Runs in the page. */
function noteCards() {
  const times = new Map<string, number>()
  const waiting = new Map<string, (at: number) => void>()
  const look = () => {
    for (const card of document.querySelectorAll<HTMLElement>('[data-ask-id]')) {
      const id = card.dataset.askId ?? ''
      if (times.has(id)) continue
      times.set(id, Number.NaN)
      // A message posted from within a frame comes after that frame has been painted.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => {
          times.set(id, Date.now())
          waiting.get(id)?.(Date.now())
        }
        port2.postMessage(null)
      })
    }
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
  const painted = (id: string) => {
    const at = times.get(id)
    return at !== undefined && !Number.isNaN(at)
      ? Promise.resolve(at)
      : new Promise<number>((resolve) => waiting.set(id, resolve))
  }
  Object.assign(window, { paintedCards: () => ({ painted }) })
}
