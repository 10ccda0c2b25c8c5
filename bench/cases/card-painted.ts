import { withBrowser } from '../browser.ts'
import type { Row } from '../report.ts'
import { percentile, spread } from '../statistics.ts'

const SESSIONS = 50
const ASKS = 60

/** From the commit of an ask until its card is on the screen, while fifty other sessions talk. */
export async function cardPainted(): Promise<readonly Row[]> {
  return withBrowser(async ({ gateway, page }) => {
    await page.evaluate(noteCards)
    await gateway.call('chatter', { sessions: SESSIONS })
    const times: number[] = []
    for (let index = 0; index < ASKS; index++) {
      const { id, at } = await gateway.call<{ id: string; at: number }>('raiseOne')
      const painted = await page.evaluate((ask) => paintedCards().painted(ask), id)
      times.push(painted - at)
      await gateway.call('settleOne', { id })
    }
    await gateway.call('quiet')
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
    return [
      {
        what: `ask committed to card painted, ${SESSIONS} sessions talking, p50 / p95 / p99`,
        measured: spread(times),
        budget: 'p50 ≤ 50 ms, p95 ≤ 150 ms',
        met: p50 <= 50 && p95 <= 150,
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
