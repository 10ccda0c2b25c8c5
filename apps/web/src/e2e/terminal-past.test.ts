import type { Item } from '@holdpoint/schema/item'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { createSyntheticDriver } from '@holdpoint/testing/synthetic-driver'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let browser: Browser
let test: TestGateway
beforeAll(async () => {
  const { driver } = createSyntheticDriver('claude')
  ;[test, browser] = await Promise.all([startAppGateway({ drivers: () => [driver] }), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

const PAGE = 30
const TITLES = ['Make the queue back off', 'Why does the build fail?', 'Translate the handbook\u202e to French']
const TRANSCRIPTS = Array.from({ length: 70 }, (_, index) => ({
  id: `0000${index}-past`,
  title: TITLES[index] ?? `Conversation ${index}`,
  cwd: index % 2 === 0 ? '/home/ann/code/payments-api' : '/home/ann/code/site',
  modifiedAt: Date.now() - (index + 1) * 3_600_000,
  size: 700 * 3 ** (index % 12),
}))

function item(index: number): Item {
  const base = { id: `itm_${index}` as const, at: 1_700_000_000_000 + index }
  if (index % 4 === 0) return { ...base, type: 'message', role: 'user', text: `Request number ${index}` }
  if (index % 4 === 1)
    return { ...base, type: 'tool-call', toolUseId: `t${index}`, name: 'Bash', input: { command: 'npm test' } }
  if (index % 4 === 2) return { ...base, type: 'tool-result', toolUseId: `t${index - 1}`, text: 'ok', isError: false }
  return { ...base, type: 'message', role: 'assistant', text: `Done with **${index}**.` }
}

/** The gateway's own side of it, until a test needs the real one. */
async function fakeTranscripts(page: Page) {
  const asked: URL[] = []
  const started: unknown[] = []
  await page.route('**/api/transcripts**', (route) => {
    const url = new URL(route.request().url())
    asked.push(url)
    if (url.pathname.endsWith('/items')) {
      const end = Number(url.searchParams.get('before') ?? 400)
      // Every third page has nothing to show.
      const isEmpty = end % 300 === 0
      const from = Math.max(0, end - 100)
      const items = isEmpty ? [] : Array.from({ length: end - from }, (_, index) => item(from + index))
      return route.fulfill({ json: { items, ...(from > 0 && { nextBefore: from }) } })
    }
    const found = TRANSCRIPTS.filter(({ cwd }) => cwd.includes(url.searchParams.get('folder') ?? ''))
    const from = Number(url.searchParams.get('after') ?? 0)
    const next = from + PAGE < found.length ? { next: String(from + PAGE) } : {}
    return route.fulfill({ json: { transcripts: found.slice(from, from + PAGE), ...next } })
  })
  await page.route('**/api/sessions', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const body: unknown = route.request().postDataJSON()
    started.push(body)
    const session = await test.api.ok('POST', '/api/sessions', { cwd: test.dataDir, title: 'Resumed' })
    return route.fulfill({ status: 201, json: session })
  })
  return { asked, started }
}

async function openPast(width: 390 | 1440) {
  const tab = await openPage(browser, test, { width, reducedMotion: true, path: '/settings' })
  const fake = await fakeTranscripts(tab.page)
  await tab.page.evaluate(() => history.pushState(null, '', '/past'))
  await tab.page.getByText('Make the queue back off').waitFor()
  return { ...tab, ...fake }
}

describe.each([390, 1440] as const)('at %i px', (width) => {
  const look = width === 390 ? findingsInBothThemes : findingsOfWidth
  async function inOrder(page: Page, name: string) {
    expect.soft(await look(page, 'main'), name).toEqual([])
    await screenshots(page, `terminal/${name}`)
  }

  it('past sessions are listed, read and resumed', async () => {
    await using tab = await openPast(width)
    const { page, asked, started } = tab
    await inOrder(page, 'past')
    await page.getByRole('link', { name: /Make the queue back off/ }).click()
    await page.getByText('Done with 399.').waitFor()
    await inOrder(page, 'past-thread')
    expect(asked.filter((url) => url.pathname.endsWith('/items')).length).toBeLessThanOrEqual(2)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Make the queue back off')

    // Older pages come as somebody scrolls up to them, those with nothing in them skipped.
    await page.getByLabel('Thread').focus()
    await until(async () => {
      await page.keyboard.press('Home')
      return page.getByText('Request number 0', { exact: true }).isVisible()
    }, 'the first message')

    await page.getByRole('button', { name: 'Resume here' }).click()
    await page.getByRole('heading', { name: 'Resumed' }).waitFor()
    expect(started).toEqual([{ agent: 'claude', resumeTranscript: '00000-past' }])
  })
})

it('past sessions are found by folder, and older ones on demand', async () => {
  await using tab = await openPast(1440)
  const { page } = tab
  const links = page.locator('main').getByRole('link')
  await until(async () => (await links.count()) === PAGE, 'the first page')
  await page.getByRole('button', { name: 'Show older ones' }).click()
  await until(async () => (await links.count()) === 2 * PAGE, 'the second page')
  await page.getByLabel('Search by folder').fill('payments')
  await until(async () => (await links.filter({ hasText: '/site' }).count()) === 0, 'the other folder to go')
  await page.getByLabel('Search by folder').fill('nowhere')
  await page.getByText('No folder matches.').waitFor()
})

it('tells what went wrong, and tries again', async () => {
  await using tab = await openPage(browser, test, { path: '/settings', expected: [/status of 50/] })
  const { page } = tab
  let fails = true
  await page.route('**/api/transcripts**', (route) =>
    fails
      ? route.fulfill({ status: 500, json: { error: { code: 'internal', message: 'The folder cannot be read.' } } })
      : route.fulfill({ json: { transcripts: [] } }),
  )
  await page.evaluate(() => history.pushState(null, '', '/past'))
  await page.getByText('The folder cannot be read.').waitFor()
  fails = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('There are none yet.').waitFor()
})

it('shows past sessions to owners alone', async () => {
  await using tab = await openPage(browser, test, { role: 'approver' })
  await tab.page.getByRole('link', { name: 'Devices' }).waitFor()
  await until(async () => (await tab.page.getByRole('link', { name: 'Past sessions' }).count()) === 0, 'the link to go')
})
