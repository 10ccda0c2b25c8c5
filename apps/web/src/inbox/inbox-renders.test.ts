import { fileURLToPath } from 'node:url'
import type { AskId } from '@holdpoint/schema/id'
import { bundlePage } from '@holdpoint/testing/browser/bundle-page'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { PlayedGateway } from './fixtures/inbox-app.tsx'

declare const gateway: PlayedGateway

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

let browser: Browser
let script: string
let page: Page
beforeAll(async () => {
  script = await bundlePage(here('./fixtures/inbox-app.tsx'))
  browser = await launchChromium()
})
afterAll(() => browser.close())

beforeEach(async () => {
  page = await browser.newPage()
  // So that only what a test does is counted: ages count the seconds.
  await page.clock.install()
  await page.addScriptTag({ content: script })
  await page.getByText('Running now').waitFor()
  // Further on than the time that a slow machine takes between the two calls.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000)
})
afterEach(() => page.close())

const raise = (session: number) => page.evaluate((number) => gateway.raise(number), session)
const settle = (id: AskId) => page.evaluate((ask) => gateway.settle(ask), id)
const turn = (session: number, state: 'user_turn' | 'assistant_turn') =>
  page.evaluate(([number, next]) => gateway.turn(number, next), [session, state] as const)

/** What is rendered while this is done. */
async function rendersOf(act: () => Promise<unknown>): Promise<Record<string, number>> {
  await page.evaluate(() => gateway.takeRenders())
  await act()
  return page.evaluate(() => gateway.takeRenders())
}

/** What is rendered for an ask that comes, before the first frame that shows it. */
const rendersOfRaise = (session: number) => page.evaluate((number) => gateway.rendersOf('raise', number), session)
/** And for its outcome. */
const rendersOfSettle = (id: AskId) => page.evaluate((ask) => gateway.rendersOf('settle', ask), id)

const raiseAndSettle = (session: number, times: number) =>
  page.evaluate(([number, count]) => gateway.raiseAndSettle(number, count), [session, times] as const)

it('draws a new ask and the row of its session, and nothing that was there before', async () => {
  await raiseAndSettle(3, 5)
  const few = await rendersOfRaise(3)
  expect(few).toMatchObject({ InboxCard: 1, LiveAskCard: 1, ApprovalCard: 1, SessionRow: 1 })
  expect(Object.keys(few)).not.toContain('SettledCard')
  await settle('ask_6')
  await raiseAndSettle(3, 60)
  expect(await rendersOfRaise(3)).toEqual(few)
})

it('draws an answered ask as a line, and nothing else again', async () => {
  await raiseAndSettle(3, 5)
  const first = await raise(3)
  const few = await rendersOfSettle(first)
  expect(few).toMatchObject({ SettledCard: 2, SessionRow: 1 })
  expect(Object.keys(few)).not.toContain('ApprovalContent')
  await raiseAndSettle(3, 60)
  const last = await raise(3)
  expect(await rendersOfSettle(last)).toEqual(few)
})

it('draws no open card again for another ask of its session', async () => {
  await raise(3)
  await raise(3)
  expect(await rendersOfRaise(3)).toMatchObject({
    InboxCard: 1,
    LiveAskCard: 1,
    ApprovalCard: 1,
    ApprovalContent: 1,
  })
})

it('draws the content of a card once, while its buttons arm', async () => {
  const renders = await rendersOf(async () => {
    await raise(3)
    await page.clock.runFor(2000)
  })
  expect(renders.ApprovalCard).toBeGreaterThan(1)
  expect(renders).toMatchObject({ ApprovalContent: 1, InboxPage: 1 })
})

it('draws the rows of agents at work a few times a second, and no card', async () => {
  await raiseAndSettle(3, 5)
  await raise(3)
  await page.clock.runFor(2000)
  const one = await rendersOf(() => turn(7, 'user_turn'))
  expect(one).toMatchObject({ SessionList: 1, SessionRow: 1 })
  const many = await rendersOf(async () => {
    for (let time = 0; time < 50; time++) {
      await turn(10 + (time % 40), time % 2 ? 'user_turn' : 'assistant_turn')
      await page.clock.runFor(20)
    }
    await page.clock.runFor(300)
  })
  expect(many.SessionList).toBeLessThanOrEqual(7)
  for (const renders of [one, many]) {
    const cards = Object.keys(renders).filter((name) => /Inbox|Card|VisibleText|PlaceLink/.test(name))
    expect(cards).toEqual([])
  }
})

it('draws ages alone as time passes', async () => {
  await raiseAndSettle(3, 5)
  await raise(3)
  await page.clock.runFor(5000)
  const renders = await rendersOf(() => page.clock.runFor(3000))
  expect(renders.Age).toBeGreaterThan(0)
  expect(Object.keys(renders).sort()).toEqual(['Age', 'LiveTimes', 'Times'])
})

it('leaves a card where it is when there are so many lines that the first of its session goes', async () => {
  await raiseAndSettle(3, 1)
  const kept = await raise(3)
  const card = await page.waitForSelector(`[data-ask-id="${kept}"]`)
  await raiseAndSettle(3, 99)
  const { InboxCard } = await rendersOf(() => raiseAndSettle(3, 1))
  expect(await page.locator('[data-ask-id="ask_1"]').count()).toBe(0)
  expect(await card.evaluate((element) => element.isConnected)).toBe(true)
  // The new one: a tick box that comes and goes is drawn by its card alone.
  expect(InboxCard).toBe(1)
})

it('tells the browser of the number once for asks that come and go at once', async () => {
  await page.clock.runFor(1000)
  await page.evaluate(() => {
    const told: number[] = []
    Object.assign(navigator, { setAppBadge: async (count: number) => void told.push(count) })
    Object.assign(window, { told })
  })
  const told = () => page.evaluate(() => (window as unknown as { told: number[] }).told)
  await raiseAndSettle(3, 20)
  await raise(3)
  await page.clock.runFor(1000)
  expect(await told()).toEqual([1])
  expect(await page.title()).toBe('(1) Holdpoint')
  await raise(4)
  await settle('ask_21')
  await page.clock.runFor(1000)
  expect(await told()).toEqual([1])
})

it('shows what runs only when nothing has waited for a moment', async () => {
  const running = page.getByText('Running now')
  const id = await raise(3)
  expect(await running.count()).toBe(0)
  expect(await rendersOfSettle(id)).toMatchObject({ SessionRow: 1 })
  expect(await page.getByText('Nothing needs an answer').count()).toBe(1)
  await page.clock.runFor(1000)
  await running.waitFor()
})

it('draws a new ask as one line, and no other line again', async () => {
  for (let time = 0; time < 30; time++) await raise(time % 3)
  await page.keyboard.press('v')
  await page.clock.runFor(1000)
  await page.getByRole('list', { name: 'Asks' }).waitFor()
  const renders = await rendersOfRaise(3)
  expect(renders).toMatchObject({ InboxLine: 1, AskLine: 1 })
  expect(Object.keys(renders).filter((name) => /Card|Group/.test(name))).toEqual([])
  const ticked = await rendersOf(() => page.getByRole('checkbox', { name: 'Select Bash echo 4' }).check())
  expect(ticked).toMatchObject({ Tick: 1, BurstBar: 1 })
  expect(Object.keys(ticked)).not.toContain('InboxPage')
})
