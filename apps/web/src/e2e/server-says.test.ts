import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { seededRandom } from '@holdpoint/testing/seeded-random'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

const RELOADS = LONG ? 50 : 8

let browser: Browser
let test: TestGateway
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

function bash(command: string): Partial<AskRequest> {
  return { tool: { name: 'Bash', input: { command } }, title: command, context: { cwd: '/w', command } }
}

const openOnServer = async () =>
  (await test.api.ok<{ asks: Ask[] }>('GET', '/api/asks?status=open')).asks.map(({ id }) => id).sort()

const openOnPage = (page: Page) =>
  page
    .locator('article[data-ask-id]')
    .filter({ has: page.getByRole('button', { name: 'Allow once' }) })
    .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-ask-id') ?? '').sort())

it(`[F14] shows what is open on the server after ${RELOADS} reloads at random moments`, {
  timeout: TIMEOUT_MS * 2,
}, async () => {
  const random = seededRandom(14)
  const { agent } = await test.session()
  await using tab = await openPage(browser, test)
  const { page } = tab
  let most = 0
  /** Raises or ends an ask, and does not wait until anybody has heard of it. */
  async function change(count: number) {
    for (let step = 0; step < count; step++) {
      const open = await openOnServer()
      if (open.length > 0 && (open.length > 5 || random() < 0.4)) {
        const id = open[Math.floor(random() * open.length)] as Ask['id']
        await test.gateway.broker.withdraw(id, 'agent-cancelled')
      } else void agent.ask(bash(`echo ${random()}`)).catch(() => {})
    }
  }
  for (let round = 0; round < RELOADS; round++) {
    await change(1 + Math.floor(random() * 3))
    const changing = change(Math.floor(random() * 4))
    await page.waitForTimeout(random() * 60)
    await page.reload({ waitUntil: 'commit' })
    await page.waitForTimeout(random() * 300)
    await Promise.all([changing, change(Math.floor(random() * 3))])
    const same = await until(async () => {
      const [here, there] = await Promise.all([openOnPage(page), openOnServer()])
      return JSON.stringify(here) === JSON.stringify(there) && there
    }, `what is open on the server, in round ${round}`)
    most = Math.max(most, same.length)
  }
  expect(most).toBeGreaterThan(1)
  report(`F14: ${RELOADS} reloads, up to ${most} open asks`)
})

it('[F19] keeps a card whose answer got lost on its way, until the server says what became of it', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { agent, session } = await test.session()
  const { ask } = await test.openAsk(agent, bash('echo once'))
  await using tab = await openPage(browser, test, {
    clock: 'running',
    path: `/sessions/${session.id}`,
    expected: [/ERR_CONNECTION_RESET|Failed to load resource/],
  })
  const { page } = tab
  let lost = 0
  let isCut = true
  await page.route('**/answer', async (route) => {
    if (!isCut) return route.continue()
    lost++
    await route.abort('connectionreset')
  })
  const card = cardOf(page, ask.id)
  await press(card, 'Allow once')
  await until(async () => {
    await page.clock.runFor(1000)
    return lost >= 3
  }, 'the answer to be sent again')
  await card.getByText('No reply yet: trying again.').waitFor()
  expect(await card.getAttribute('data-state')).toBe('submitting')
  expect(await card.getByText('Allowed once').count()).toBe(0)
  expect((await test.api.ok<Ask>('GET', `/api/asks/${ask.id}`)).outcome).toBeUndefined()
  // Another answer was first: that, not the press, is what the card says.
  await test.api.answer(ask, { kind: 'deny', message: 'not today' })
  await card.getByText('Denied', { exact: true }).first().waitFor()
  await card.getByText(/Your answer came too late/).waitFor()
  isCut = false
})
