import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { type PopulatedGateway, startPopulatedGateway } from '@holdpoint/testing/browser/populated-gateway'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { pickInSessionMenu } from '@holdpoint/testing/browser/session-menu'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { createSyntheticDriver } from '@holdpoint/testing/synthetic-driver'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let browser: Browser
let busy: PopulatedGateway
beforeAll(async () => {
  ;[busy, browser] = await Promise.all([startPopulatedGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await busy[Symbol.asyncDispose]()
})

interface Place {
  readonly name: string
  path(sessions: PopulatedGateway['sessions']): string
  /** Is there when the place is. */
  readonly text: string | RegExp
  /** What a person opens there. */
  open?(page: Page): Promise<void>
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

const PLACES: readonly Place[] = [
  { name: 'inbox', path: () => '/', text: '3 need an answer' },
  { name: 'keys', path: () => '/', text: '3 need an answer', open: (page) => page.keyboard.press('?') },
  { name: 'sessions', path: () => '/sessions', text: 'Translate the handbook to French' },
  { name: 'session', path: ({ waiting }) => `/sessions/${waiting}`, text: /1 of 2/ },
  {
    name: 'session-menu',
    path: ({ waiting }) => `/sessions/${waiting}`,
    text: /1 of 2/,
    open: (page) => button(page, 'Session menu').click(),
  },
  {
    name: 'session-about',
    path: ({ waiting }) => `/sessions/${waiting}`,
    text: /1 of 2/,
    open: (page) => pickInSessionMenu(page, 'About this session'),
  },
  {
    name: 'session-thread',
    path: ({ waiting }) => `/sessions/${waiting}`,
    text: /1 of 2/,
    async open(page) {
      await button(page, 'Write a message instead').click()
      await page.getByLabel('Thread').evaluate((thread) => {
        for (const fold of thread.querySelectorAll<HTMLElement>('[aria-expanded="false"]')) fold.click()
      })
    },
  },
  { name: 'session-question', path: ({ asking }) => `/sessions/${asking}`, text: 'Which currency comes first?' },
  {
    name: 'session-working',
    path: ({ working }) => `/sessions/${working}`,
    text: 'Translate it.',
    async open(page) {
      busy.speak('I have read the first chapter')
      await page.getByText('I have read').waitFor()
    },
  },
  { name: 'session-idle', path: ({ idle }) => `/sessions/${idle}`, text: 'Nothing to worry about.' },
  { name: 'session-failed', path: ({ failed }) => `/sessions/${failed}`, text: 'The agent ran out of memory.' },
  {
    name: 'ask',
    path: () => '/',
    text: '3 need an answer',
    async open(page) {
      const id = await page.locator('[data-ask-id]').first().getAttribute('data-ask-id')
      await page.goto(new URL(`/asks/${id}`, page.url()).href)
      await page.getByRole('heading', { name: 'Needs your answer' }).waitFor()
      await page.getByText('2 more in the inbox').waitFor()
    },
  },
  {
    name: 'settings-channel',
    path: () => '/settings',
    text: 'Add a channel',
    async open(page) {
      await button(page, 'Add a channel').click()
      await page.getByRole('radio', { name: 'Telegram' }).check()
      await button(page, 'Add a person').click()
    },
  },
  { name: 'new', path: () => '/new', text: 'First message' },
  {
    name: 'new-modes',
    path: () => '/new',
    text: 'First message',
    async open(page) {
      await page.getByLabel('Folder', { exact: true }).fill('/nowhere/at/all')
      await page.getByText('does not exist').waitFor()
      await page.getByText('Other modes').click()
    },
  },
  { name: 'devices', path: () => '/devices', text: 'viewer for tests' },
  {
    name: 'pair',
    path: () => '/devices',
    text: 'viewer for tests',
    open: (page) => button(page, 'Pair a device').click(),
  },
  {
    name: 'pair-code',
    path: () => '/devices',
    text: 'viewer for tests',
    async open(page) {
      await button(page, 'Pair a device').click()
      await button(page, 'Show the code').click()
      await page.getByText('A phone cannot reach this address').waitFor()
      expect(await page.getByRole('img', { name: /QR code/ }).count()).toBe(0)
    },
  },
  {
    name: 'revoke',
    path: () => '/devices',
    text: 'viewer for tests',
    open: (page) => button(page, 'Revoke viewer for tests').click(),
  },
  { name: 'history', path: () => '/history', text: 'Open a pull request instead.' },
  {
    name: 'history-open',
    path: () => '/history',
    text: 'Open a pull request instead.',
    async open(page) {
      const filter = button(page, 'Filter')
      if (await filter.isVisible()) await filter.click()
      await page.getByLabel('Outcome').selectOption('denied')
      await page.getByText('Open a pull request instead.').click()
      await page.getByText('head of the session').waitFor()
    },
  },
  { name: 'rules', path: () => '/rules', text: 'Bash(npm test -- queue)' },
  {
    name: 'rules-add',
    path: () => '/rules',
    text: 'Bash(npm test -- queue)',
    async open(page) {
      await button(page, 'Add a rule').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Rule', { exact: true }).fill('Bash(')
      await dialog.getByText('The closing bracket at the end is missing').waitFor()
      await dialog.getByLabel('In one project').check()
      await dialog.getByLabel('Rule', { exact: true }).fill('Bash(git status)')
      await dialog.getByLabel('Try it').fill('git status && rm -rf x')
      await dialog.getByText('asks about').first().waitFor()
    },
  },
  {
    name: 'rules-edit',
    path: () => '/rules',
    text: 'Bash(npm test -- queue)',
    open: (page) => button(page, 'Edit Bash(ls *)').click(),
  },
  {
    name: 'rules-remove',
    path: () => '/rules',
    text: 'Bash(npm test -- queue)',
    open: (page) => button(page, 'Remove Bash(psql *)').click(),
  },
  { name: 'settings', path: () => '/settings', text: '55 seconds, then the agent is interrupted' },
  {
    name: 'set-limit',
    path: () => '/settings',
    text: 'Trusted folders',
    async open(page) {
      await button(page, 'Set a limit').click()
      await page.getByText('One folder').click()
      await page.getByLabel('Folder', { exact: true }).fill('/nowhere/at/all')
      await page.getByText('does not exist').waitFor()
    },
  },
  { name: 'not-found', path: () => '/sessions/ses_nothing', text: 'No such session' },
]

describe.each([390, 1440] as const)('at %i px', (width) => {
  // Without motion, a colour is what it is as soon as the theme changes.
  const options = { width, reducedMotion: true } as const
  async function inOrder(page: Page, name: string, within?: string): Promise<void> {
    // What is around the places is another on a wide page, and has its colours judged there, too.
    const look = width === 390 || name === 'inbox' ? findingsInBothThemes : findingsOfWidth
    expect.soft(await look(page, within), name).toEqual([])
    await screenshots(page, `places/${name}`)
  }

  it('every place is in order', { timeout: TIMEOUT_MS * 2 }, async () => {
    await using tab = await openPage(browser, busy, options)
    const { page } = tab
    // What is narrow breaks first; the wide page has every third of them, unless there is time for all.
    const places = width === 390 || LONG ? PLACES : PLACES.filter((_, at) => at % 3 === 0)
    report(`places: ${places.length} of ${PLACES.length} at ${width} px`)
    for (const place of places) {
      // As a link does: without a new page, which is what takes the time.
      await page.evaluate((path) => history.pushState(null, '', path), place.path(busy.sessions))
      await until(() => page.locator('main').getByText(place.text).first().isVisible(), place.name)
      await place.open?.(page)
      // What is around the places is looked at once; behind a dialog nothing can be reached.
      const isDialog = await page.locator('dialog[open]').isVisible()
      await inOrder(page, place.name, isDialog ? 'dialog[open]' : place.name === 'inbox' ? undefined : 'main')
      await page.evaluate(() => document.querySelector<HTMLElement>('dialog[open] [aria-label="Close"]')?.click())
      await page.evaluate(() => document.querySelector<HTMLElement>(':popover-open')?.hidePopover())
    }
  })

  it('what a newcomer sees is in order', async () => {
    const { driver: claude } = createSyntheticDriver('claude')
    const { driver: demo } = createSyntheticDriver('demo')
    await using fresh = await startAppGateway({ drivers: () => [claude, demo] })
    await using stranger = await openPage(browser, fresh, {
      ...options,
      role: undefined,
      expected: [/status of 401|no valid credentials/],
    })
    await stranger.page.getByText('This browser is not logged in.').waitFor()
    await inOrder(stranger.page, 'logged-out')

    await using tab = await openPage(browser, fresh, options)
    await tab.page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await inOrder(tab.page, 'inbox-newcomer')
    const start = { cwd: fresh.dataDir, title: 'Retry queue rewrite', prompt: 'Make the queue back off.' }
    await fresh.api.ok('POST', '/api/sessions', start)
    await tab.page.getByText('Running now').waitFor()
    await inOrder(tab.page, 'inbox-running')
  })

  it('a browser that may only look is told so', async () => {
    await using tab = await openPage(browser, busy, { ...options, role: 'viewer' })
    await tab.page
      .getByText(/can view asks, but not answer them/)
      .first()
      .waitFor()
    await inOrder(tab.page, 'inbox-viewer')
  })
})
