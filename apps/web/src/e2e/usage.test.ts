import type { Usage } from '@holdpoint/schema/usage'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { pickInSessionMenu } from '@holdpoint/testing/browser/session-menu'
import { eventsOf, sampleAppend } from '@holdpoint/testing/store-contract/store-samples'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

const DAY_MS = 86_400_000

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

function used(n: number, costUsd?: number): Usage {
  const counts = {
    inputTokens: 1000 * n,
    outputTokens: 400 * n,
    cacheReadTokens: 60_000 * n,
    cacheWriteTokens: 4000 * n,
  }
  return costUsd === undefined ? counts : { ...counts, costUsd }
}

const isCut = (words: Locator) => words.evaluate((element) => element.scrollWidth > element.clientWidth)

it.each([390, 1440] as const)(
  'shows what a session has used, says what waits for its budget, and raises it (%i px)',
  async (width) => {
    await using test = await startAppGateway()
    const { session, agent } = await test.session({
      title: 'Move the invoices to the new queue and drop the old table',
    })
    const context = (tokens: number) => agent.start.emit([{ type: 'context', context: { tokens, window: 200_000 } }])
    const budget = async () => (await test.api.ok<typeof session>('GET', `/api/sessions/${session.id}`)).budget
    await agent.say('Done. What is next?')
    await agent.start.emit([{ type: 'usage', reported: used(3, 4.2) }])
    agent.uses(used(3, 4.2))
    await context(174_000)
    await agent.endTurn()
    await using opened = await openPage(browser, test, { width, reducedMotion: true, path: `/sessions/${session.id}` })
    const { page } = opened
    const look = width === 390 ? findingsInBothThemes : findingsOfWidth
    const header = page.getByRole('banner').or(page.locator('header')).filter({ hasText: '$4.20' })
    await header.waitFor()
    expect(await isCut(header.getByText('idle', { exact: true }))).toBe(false)
    expect(await header.getByText('87 % context').isVisible()).toBe(width === 1440)
    await page.getByRole('status').getByText('The context is 87 % full.').waitFor()
    await screenshots(page, 'usage/full')
    await page.getByRole('button', { name: 'Compact' }).click()
    await expect.poll(() => agent.messages.map(({ text }) => text), { interval: 20 }).toEqual(['/compact'])
    await context(20_000)
    await agent.endTurn()

    await pickInSessionMenu(page, 'Usage and budget')
    const dialog = page.getByRole('dialog', { name: 'Usage and budget' })
    await dialog.getByText('3,000 in, 1,200 out').waitFor()
    if (width === 390) expect(await look(page, 'dialog[open]')).toEqual([])
    await screenshots(page, 'usage/dialog')
    await dialog.getByLabel('Budget in US dollars').fill('four')
    await dialog.getByText('An amount, such as 5 or 0.50.').waitFor()
    await dialog.getByLabel('Budget in US dollars').fill('4')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await budget()).toEqual({ usd: 4 })

    const why = 'This session has used $4.20 of its budget of $4.00.'
    await page.getByRole('status').getByText(why).waitFor()
    await page.getByLabel('Message to the agent').fill('And now the tests, please')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('waits for the budget to be raised').waitFor()
    const { outcome } = await test.openAsk(agent)
    const card = page.getByRole('article').filter({ hasText: why })
    await card.waitFor()
    expect(await look(page, 'main')).toEqual([])
    await screenshots(page, 'usage/over')
    await page.getByRole('button', { name: 'Raise to $8.00' }).click()
    await page.getByRole('button', { name: /^Raise to/ }).waitFor({ state: 'detached' })
    expect(await budget()).toEqual({ usd: 8 })
    // The card moves up as the bar above it goes.
    await press(card, 'Allow once')
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    await agent.endTurn()
    await expect.poll(() => agent.messages.at(-1)?.text, { interval: 20 }).toBe('And now the tests, please')
  },
)

it.each([390, 1440] as const)('adds up what was used by day, project and session (%i px)', async (width) => {
  await using test = await startAppGateway()
  await using opened = await openPage(browser, test, { width, reducedMotion: true, path: '/usage' })
  const { page } = opened
  await page.getByText('No agent has reported any use in this time.').waitFor()
  await screenshots(page, 'usage/none')
  const use = (n: number, at: number, title: string, project: string, total: Usage) => {
    const events = [eventsOf(n).started(), eventsOf(n, at).used(total, project)]
    return test.store.append([sampleAppend({ n, after: 0, events, session: { state: 'dead', title } })])
  }
  const now = Date.now()
  await use(1, now - 40 * DAY_MS, 'Long ago', '/home/ana/code/shop', used(9, 900))
  for (let n = 2; n <= 13; n++) {
    // Not in the order of their days.
    const at = now - ((n * 5) % 12) * DAY_MS
    const project = n === 2 ? `/home/ana/${'very/'.repeat(30)}deep` : `/home/ana/code/${n % 2 ? 'shop' : 'blog'}`
    await use(
      n,
      at,
      `Session ${n} ${n === 3 ? 'with a long title '.repeat(12) : ''}`,
      project,
      used(n, n === 4 ? undefined : n),
    )
  }
  await page.getByRole('radio', { name: '7 days' }).check()
  await page.getByRole('radio', { name: '30 days' }).check()
  const days = page.getByRole('region', { name: 'Days' }).getByRole('listitem')
  await days.nth(6).waitFor()
  expect(await days.count()).toBe(7)
  await page.getByRole('button', { name: 'Show all 12' }).first().click()
  const dayOf = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
  const words = await days.allInnerTexts()
  expect(words.map((text) => text.split('\n')[0])).toEqual(
    Array.from({ length: 12 }, (_, ago) => dayOf.format(now - ago * DAY_MS)),
  )
  await page.getByText('$86.00', { exact: true }).waitFor()
  const projects = page.getByRole('region', { name: 'Projects' }).getByRole('listitem')
  expect(await projects.count()).toBe(3)
  expect(await page.getByText('not reported').count()).toBeGreaterThan(0)
  expect(await (width === 390 ? findingsInBothThemes : findingsOfWidth)(page, 'main')).toEqual([])
  await screenshots(page, 'usage/page')
  await projects.first().scrollIntoViewIfNeeded()
  await screenshots(page, 'usage/projects')
  await page.getByRole('link', { name: 'Session 13' }).click()
  await page.getByRole('heading', { level: 1, name: 'Session 13' }).waitFor()
})
