import { tmpdir } from 'node:os'
import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { armed, cardOf } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { focused, tabStops } from '@holdpoint/testing/browser/focus'
import { type OpenPage, openPage } from '@holdpoint/testing/browser/open-page'
import {
  CURRENCIES,
  command,
  type PopulatedGateway,
  startPopulatedGateway,
} from '@holdpoint/testing/browser/populated-gateway'
import { LONG, report } from '@holdpoint/testing/long'
import { createSyntheticDriver, type SyntheticAgent } from '@holdpoint/testing/synthetic-driver'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const PLAN: Partial<AskRequest> = {
  kind: 'plan',
  title: 'A plan',
  tool: { name: 'ExitPlanMode', input: { plan: '1. Do it.' } },
  plan: { text: '1. Do it.' },
}
const TWO_QUESTIONS: Partial<AskRequest> = {
  kind: 'question',
  title: 'Two questions',
  tool: { name: 'AskUserQuestion', input: {} },
  questions: [
    { question: 'Which colour?', multiSelect: false, options: [{ label: 'Blue' }, { label: 'Red' }] },
    { question: 'What else?', multiSelect: true, options: [{ label: 'Bread' }, { label: 'Oil' }, { label: 'Salt' }] },
  ],
}
const FORM: Partial<AskRequest> = {
  kind: 'form',
  title: 'A form',
  form: {
    mode: 'form',
    server: 'deploys',
    message: 'Where to?',
    schema: { type: 'object', required: ['region'], properties: { region: { type: 'string', title: 'Region' } } },
  },
}

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** A session that was started by keys alone, and its agent. */
async function fromTheLoginLink() {
  const demo = createSyntheticDriver('demo')
  const test = await startAppGateway({ drivers: () => [demo.driver], scratchFolder: async () => tmpdir() })
  const { code } = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  const tab = await openPage(browser, test, { role: undefined, clock: 'running', path: `/#login=${code}` })
  const { page } = tab
  const press = (key: string) => page.keyboard.press(key)
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()

  await press('Tab')
  await expectFocus(page).toBe('a Skip to the content')
  await press('Enter')
  await press('Tab')
  await expectFocus(page).toBe('button Try the demo (no key needed)')
  await press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Tour' }).waitFor()
  await expectFocus(page).toBe('h1 Tour')

  const { sessions } = await test.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')
  const session = sessions[0]
  if (!session) throw new Error('no session was started')
  const agent = await demo.agentOf(session.id)
  return {
    page,
    press,
    agent,
    /** Raises an ask, goes to its card and waits until it can be answered. */
    async ask(request: Partial<AskRequest>): Promise<{ ask: Ask; outcome: ReturnType<SyntheticAgent['ask']> }> {
      const raised = await test.openAsk(agent, request)
      const card = cardOf(page, raised.ask.id)
      await card.waitFor()
      await goToCard(page, raised.ask)
      await armed(card)
      return raised
    },
    async [Symbol.asyncDispose]() {
      await tab[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
    },
  }
}

/** By `j`, as often as it takes: a line of the ask before may be on the way. */
async function goToCard(page: Page, { id }: Ask): Promise<void> {
  await until(async () => {
    await page.keyboard.press('j')
    return page.evaluate((askId) => (document.activeElement as HTMLElement | null)?.dataset.askId === askId, id)
  }, 'the card to have the focus')
}

/** The focus follows what is drawn: it may come a moment later. */
const expectFocus = (page: Page) => expect.poll(() => focused(page), { timeout: 10_000, interval: 20 })

/** After an answer the focus is on what comes next, not at the top of the page. */
async function expectFocusKept(page: Page, { id }: Ask): Promise<void> {
  await until(async () => (await cardOf(page, id).getByRole('button').count()) === 0, 'the card to settle')
  await expectFocus(page).not.toBe('nothing')
}

it('does everything from the login link on without a pointer', async () => {
  await using flow = await fromTheLoginLink()
  const { page, press, agent } = flow

  const allowed = await flow.ask(command('npm ci'))
  await press('a')
  expect(await allowed.outcome).toMatchObject({ kind: 'allowed' })
  await expectFocusKept(page, allowed.ask)

  const byButton = await flow.ask(command('npm test'))
  while ((await focused(page)) !== 'button Allow once') await press('Tab')
  await press('Enter')
  expect(await byButton.outcome).toMatchObject({ kind: 'allowed' })
  await expectFocusKept(page, byButton.ask)

  const denied = await flow.ask(command('rm -rf build'))
  await press('d')
  await expectFocus(page).toMatch(/^textarea Why not\?/)
  await page.keyboard.type('not on a Sunday')
  await armed(cardOf(page, denied.ask.id))
  await press('Control+Enter')
  expect(await denied.outcome).toMatchObject({ kind: 'denied', answer: { message: 'not on a Sunday' } })
  await expectFocusKept(page, denied.ask)

  const changedMind = await flow.ask(command('ls'))
  await press('d')
  await press('Escape')
  await expectFocus(page).not.toBe('nothing')
  await goToCard(page, changedMind.ask)
  await armed(cardOf(page, changedMind.ask.id))
  await press('a')
  expect(await changedMind.outcome).toMatchObject({ kind: 'allowed' })

  const question = await flow.ask(CURRENCIES)
  await press('1')
  await press('Tab')
  await press('ArrowDown')
  await press('Enter')
  expect(await question.outcome).toMatchObject({ answer: { answers: [{ question: 0, selected: ['USD'] }] } })
  await expectFocusKept(page, question.ask)

  const both = await flow.ask(TWO_QUESTIONS)
  const fields = cardOf(page, both.ask.id).locator('fieldset')
  const withDigits = () => fields.evaluateAll((all) => all.findIndex((field) => field.dataset.digits === 'here'))
  expect(await withDigits()).toBe(0)
  await press('2')
  expect(await withDigits()).toBe(1)
  // One that takes several options keeps the digits, though both have their answer now.
  await press('1')
  await press('3')
  expect(await withDigits()).toBe(1)
  expect(await focused(page)).toMatch(/^article/)
  await press('Control+Enter')
  expect(await both.outcome).toMatchObject({
    answer: { answers: [{ selected: ['Red'] }, { selected: ['Bread', 'Salt'] }] },
  })
  await expectFocusKept(page, both.ask)

  const plan = await flow.ask(PLAN)
  await press('a')
  expect(await plan.outcome).toMatchObject({ kind: 'allowed' })
  await expectFocusKept(page, plan.ask)

  const form = await flow.ask(FORM)
  while (!(await focused(page)).startsWith('input Region')) await press('Tab')
  await page.keyboard.type('eu-west')
  await press('Control+Enter')
  expect(await form.outcome).toMatchObject({ answer: { content: { region: 'eu-west' } } })
  await expectFocusKept(page, form.ask)

  while ((await focused(page)) !== 'button Interrupt') await press('Shift+Tab')
  await press('Enter')
  await until(() => agent.interrupts() === 1, 'the interruption')
  await page.getByText('idle').first().waitFor()
  await expectFocus(page).not.toBe('nothing')

  while ((await focused(page)) !== 'textarea Message to the agent') await press('Tab')
  await page.keyboard.type('Go on, please')
  await press('Enter')
  await until(() => agent.messages.some(({ text }) => text === 'Go on, please'), 'the message')
  await expectFocus(page).toBe('textarea Message to the agent')
})

describe('with much going on', () => {
  let busy: PopulatedGateway
  let desk: OpenPage
  beforeAll(async () => {
    busy = await startPopulatedGateway()
    desk = await openPage(browser, busy, { reducedMotion: true })
  })
  afterAll(async () => {
    await desk[Symbol.asyncDispose]()
    await busy[Symbol.asyncDispose]()
  })
  /** As a link does: without a new page, which is what takes the time. */
  const goTo = (page: Page, path: string) => page.evaluate((to) => history.pushState(null, '', to), path)

  it('lists the keys and gives the focus back', async () => {
    const { page } = desk
    await page.getByRole('heading', { name: '3 need an answer' }).waitFor()
    await page.keyboard.press('j')
    const before = await focused(page)
    expect(before).toMatch(/^article/)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await expectFocus(page).toBe('button Close')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expectFocus(page).toBe(before)
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
    await expectFocus(page).toBe('h1 Sessions')
    await page.keyboard.press('n')
    await page.getByRole('heading', { level: 1, name: 'New session' }).waitFor()
  })

  it.each([390, 1440] as const)('marks the focus on every stop of a place, in sight, at %i px', async (width) => {
    await using phone = width === 390 ? await openPage(browser, busy, { width, reducedMotion: true }) : undefined
    const { page } = phone ?? desk
    const { waiting, asking, idle } = busy.sessions
    const sessions = [waiting, asking, idle].map((id) => `/sessions/${id}`)
    const all = ['/', ...sessions, '/sessions', '/new', '/devices', '/history', '/rules', '/settings']
    // What is narrow breaks first; the wide page has every third of them, unless there is time for all.
    const paths = width === 390 || LONG ? all : all.filter((_, at) => at % 3 === 0)
    report(`places: ${paths.length} of ${all.length} at ${width} px`)
    for (const path of paths) {
      await goTo(page, path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await until(async () => (await page.getByLabel('Loading').count()) === 0, `${path} to load`)
      const stops = await tabStops(page)
      expect(stops[0]?.name, path).toBe('a Skip to the content')
      expect
        .soft(
          stops.filter(({ faults }) => faults.length > 0),
          path,
        )
        .toEqual([])
      expect(stops.length, path).toBeGreaterThan(4)
    }
  })

  it('orders the stops as they are read', async () => {
    await goTo(desk.page, '/')
    await desk.page.getByRole('heading', { name: '3 need an answer' }).waitFor()
    const names = (await tabStops(desk.page)).map(({ name }) => name)
    const firstCard = names.findIndex((name) => name.startsWith('article'))
    expect(names.slice(0, firstCard)).toContain('a Inbox3 need an answer')
    expect(
      names
        .slice(firstCard)
        .filter((name) => /^button (Deny|Edit|Allow)/.test(name))
        .slice(0, 4),
    ).toEqual(['button Deny…', 'button Edit', 'button Allow and remember…', 'button Allow once'])
  })
})
