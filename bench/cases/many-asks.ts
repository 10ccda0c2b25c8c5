import type { CDPSession, Page } from 'playwright-core'
import { withBrowser } from '../browser.ts'
import type { GatewayProcess } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { percentile, short, spread } from '../statistics.ts'

const ASKS = 500
const SESSIONS = 50
const VISITS = 40
const RELOADS = 10
const BUDGET_MS = 100
const PER_SECOND = 20
/** Ten of them for the figures in the README. */
const MINUTES = Number(process.env.HOLDPOINT_BENCH_MINUTES ?? 1)

const commandOf = (number: number) => `npm test -- part-${number}`

/** Five hundred open asks in the inbox, as cards and as lines: how soon it shows, and how soon each key does its work. */
export async function manyAsks(): Promise<readonly Row[]> {
  return withBrowser(async ({ gateway, page }) => {
    await gateway.call('openMany', { sessions: SESSIONS, asks: ASKS })
    await page.getByRole('heading', { name: `${ASKS} need an answer` }).waitFor()
    await page.evaluate(watchKeys)
    const rows: Row[] = []
    for (const view of ['cards', 'lines'] as const) {
      if (view === 'lines') await keyed(page, 'v', { lines: true })
      const visits: number[] = []
      for (let visit = 0; visit < VISITS; visit++) {
        await page.evaluate(goTo, { href: '/sessions', heading: 'Sessions' })
        visits.push(await page.evaluate(goTo, { href: '/', heading: `${ASKS} need an answer` }))
        await drawn(page, view)
      }
      rows.push(row(`${ASKS} open asks as ${view}, from the click on Inbox until they are painted`, visits))
      rows.push(
        row(
          `the same, each key (j, k, x, v, / and the letters of a filter) until its effect is painted`,
          await keys(page, view),
        ),
      )
    }
    rows.push({
      what: `the same, the whole page loaded anew (${RELOADS} times), p50 / p95 / p99`,
      measured: spread(await reloads(page)),
    })
    rows.push(await memory(gateway, page))
    return rows
  })
}

function row(what: string, times: readonly number[]): Row {
  const p95 = percentile(times, 0.95)
  return {
    what: `${what} (${times.length} times), p50 / p95 / p99`,
    measured: spread(times),
    budget: `p95 ≤ ${BUDGET_MS} ms`,
    met: p95 <= BUDGET_MS,
  }
}

type View = 'cards' | 'lines'

/** Until all that the view draws is there. */
async function drawn(page: Page, view: View): Promise<void> {
  const count = view === 'cards' ? 50 : ASKS
  await page.waitForFunction((wanted) => document.querySelectorAll('main [data-ask-id]').length >= wanted, count)
}

async function keys(page: Page, view: View): Promise<readonly number[]> {
  const times: number[] = []
  const press = async (key: string, effect: Effect) => times.push(await keyed(page, key, effect))
  for (let time = 0; time < 40; time++) await press('j', { focusMoves: true })
  for (let time = 0; time < 20; time++) {
    await press('k', { focusMoves: true })
    await press('x', { ticksChange: true })
  }
  await press('X', { ticksChange: true })
  await press('Escape', { ticksChange: true })
  for (let time = 0; time < 3; time++) {
    await press('/', { focusMoves: true })
    let words = ''
    for (const letter of 'part-12') {
      words += letter
      await press(letter, { hidden: hiddenBy(words) })
    }
    for (; words !== ''; words = words.slice(0, -1)) {
      await press('Backspace', { hidden: hiddenBy(words.slice(0, -1)) })
    }
    await press('Escape', { focusMoves: true })
    await drawn(page, view)
  }
  for (let time = 0; time < 6; time++) {
    const isLines = (view === 'lines') === (time % 2 === 1)
    await press('v', { lines: isLines })
    await drawn(page, isLines ? 'lines' : 'cards')
  }
  return times
}

function hiddenBy(words: string): number {
  return Array.from({ length: ASKS }, (_, number) => commandOf(number)).filter((command) => !command.includes(words))
    .length
}

/** What the page shows when a key has done its work. */
interface Effect {
  readonly focusMoves?: boolean
  readonly ticksChange?: boolean
  readonly lines?: boolean
  /** So many asks are hidden by the filter. */
  readonly hidden?: number
}

/** From the press, by the browser's own time, until the frame that shows its effect is painted. */
async function keyed(page: Page, key: string, effect: Effect): Promise<number> {
  const done = page.evaluate((wanted) => (window as unknown as KeyWatch).keyed(wanted), effect)
  // The page has to listen before the key comes.
  await page.evaluate(() => 0)
  await page.keyboard.press(key)
  return done
}

interface KeyWatch {
  keyed(effect: Effect): Promise<number>
}

/** Runs in the page. */
function watchKeys() {
  const ticks = () => document.querySelectorAll('main input[type=checkbox]:checked').length
  const hiddenNow = () => {
    const text = [...document.querySelectorAll('main [role=status]')].map((status) => status.textContent).join(' ')
    return Number(/(\d+) more asks? hidden/.exec(text)?.[1] ?? 0)
  }
  Object.assign(window, {
    keyed(effect: Effect) {
      const [focus, ticked] = [document.activeElement, ticks()]
      const isDone = () => {
        if (effect.focusMoves) return document.activeElement !== focus
        if (effect.ticksChange) return ticks() !== ticked
        if (effect.hidden !== undefined) return hiddenNow() === effect.hidden
        return (document.querySelector('main ul[aria-label="Asks"]') !== null) === effect.lines
      }
      return new Promise<number>((resolve) => {
        const onKey = ({ timeStamp }: KeyboardEvent) => {
          const look = () => {
            if (!isDone()) return void requestAnimationFrame(look)
            // A message posted from within a frame comes after that frame has been painted.
            const { port1, port2 } = new MessageChannel()
            port1.onmessage = () => resolve(performance.now() - timeStamp)
            port2.postMessage(null)
          }
          requestAnimationFrame(look)
        }
        window.addEventListener('keydown', onKey, { once: true, capture: true })
      })
    },
  })
}

/** Runs in the page: from the click on a link until a frame shows that page, with its asks where it has some. */
async function goTo({ href, heading }: { href: string; heading: string }): Promise<number> {
  const link = document.querySelector<HTMLElement>(`nav a[href="${href}"], a[href="${href}"]`)
  if (!link) throw new Error(`there is no link to ${href}`)
  const from = performance.now()
  link.click()
  const isThere = () =>
    document.querySelector('h1')?.textContent === heading &&
    (href !== '/' || document.querySelector('main [data-ask-id]') !== null)
  while (!isThere()) await new Promise(requestAnimationFrame)
  await new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))
  return performance.now() - from
}

async function reloads(page: Page): Promise<readonly number[]> {
  await page.addInitScript(noteFirstAsk)
  const times: number[] = []
  for (let time = 0; time < RELOADS; time++) {
    await page.reload()
    const painted = await page.waitForFunction(() => (window as unknown as { firstAskAt?: number }).firstAskAt)
    times.push(Number(await painted.jsonValue()))
  }
  return times
}

/** Runs in the page, before anything else. */
function noteFirstAsk() {
  const look = () => {
    if (!document.querySelector('main [data-ask-id]')) return void requestAnimationFrame(look)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => Object.assign(window, { firstAskAt: performance.now() })
    port2.postMessage(null)
  }
  requestAnimationFrame(look)
}

/** While asks come and go for minutes. */
async function memory(gateway: GatewayProcess, page: Page): Promise<Row> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  await gateway.call('change', { perSecond: PER_SECOND })
  const sizes: number[] = []
  const parts = 8
  for (let part = 0; part < parts; part++) {
    await new Promise((resolve) => setTimeout(resolve, (MINUTES * 60_000) / parts))
    sizes.push(await heapOf(devtools))
  }
  await gateway.call('changeNoMore')
  // The first part fills what is kept: lines of settled asks, answers.
  const [early, late] = [Math.max(...sizes.slice(1, parts / 2)), Math.max(...sizes.slice(parts / 2))]
  return {
    what: `memory of the page after a collection, ${PER_SECOND} updates a second for ${MINUTES} min, highest in the second half`,
    measured: `${short(late)} MB`,
    against: `first half ${short(early)} MB`,
    ratio: late / early,
    budget: '≤ 1.1 ×',
    met: late / early <= 1.1,
  }
}

async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN) / 1024 / 1024
}
