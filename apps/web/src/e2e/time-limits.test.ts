import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '@holdpoint/schema/session'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { createSyntheticDriver } from '@holdpoint/testing/synthetic-driver'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
let root: string
beforeAll(async () => {
  browser = await launchChromium()
  root = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-limits-')))
})
afterAll(async () => {
  await browser.close()
  await rm(root, { recursive: true, force: true })
})

async function folder(name: string): Promise<string> {
  const path = join(root, name)
  await mkdir(path)
  return path
}

const startGateway = () => startAppGateway({ drivers: () => [createSyntheticDriver('claude').driver] })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

it('a limit that is set for a folder on the Settings page is what a new session there gets, until it is removed', async () => {
  await using test = await startGateway()
  const cwd = await folder('app')
  await using tab = await openPage(browser, test, { path: '/settings' })
  const { page } = tab
  const panel = page.getByRole('region').or(page.locator('section')).filter({ hasText: 'How long asks wait' })
  await panel.getByText('wait forever').waitFor()
  await button(page, 'Set a limit').click()
  await page.getByText('One folder').click()
  await page.getByLabel('Folder', { exact: true }).fill(cwd)
  await page.getByLabel('How long an ask waits for you').selectOption('ask-user')
  expect(await page.getByLabel('When the time is up').count()).toBe(0)
  await button(page, /^Set$/).click()
  await panel.getByText('wait 55 seconds, then the agent is interrupted').waitFor()

  await page.goto(`${test.api.url}/new`)
  await page.getByLabel('Folder', { exact: true }).fill(cwd)
  const limit = page.getByLabel('How long an ask waits for you')
  await limit.getByText('As in Settings: 55 seconds, then the agent is interrupted').waitFor({ state: 'attached' })
  await page.getByLabel('First message').fill('Go.')
  await button(page, 'Start').click()
  await button(page, /^Start without/).click()
  const started = await until(
    async () => (await test.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions[0],
    'the session',
  )
  expect(started).toMatchObject({ cwd, askTimeoutMs: 55_000, onTimeout: 'interrupt' })

  await page.goto(`${test.api.url}/settings`)
  await button(page, `Remove the limit for all asks in ${cwd}`).click()
  await panel.getByText('55 seconds').waitFor({ state: 'detached' })
  expect(await test.api.ok('GET', '/api/time-limits')).toEqual({ limits: [] })
})

it('a new session has the time that its person picks, and what happens then', async () => {
  await using test = await startGateway()
  const cwd = await folder('own')
  await test.api.ok('POST', '/api/time-limits', { afterMs: 1000 })
  await using tab = await openPage(browser, test, { path: '/new', width: 390 })
  const { page } = tab
  await page.getByLabel('Folder', { exact: true }).fill(cwd)
  await page.getByLabel('How long an ask waits for you').selectOption('1 hour')
  await page.getByLabel('When the time is up').selectOption({ label: 'it expires, and the agent is interrupted' })
  await page.getByLabel('First message').fill('Go.')
  await button(page, 'Start').click()
  await button(page, /^Start without/).click()
  const started = await until(
    async () => (await test.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions[0],
    'the session',
  )
  expect(started).toMatchObject({ askTimeoutMs: 3_600_000, onTimeout: 'interrupt' })
})

it('T34 a trusted folder is listed with who trusted it, and is not trusted any more after one press', async () => {
  await using test = await startGateway()
  const cwd = await folder('trusted')
  const phone = await test.credential({ role: 'owner' })
  const session = await phone.api.ok<Session>('POST', '/api/sessions', { cwd, trust: true })
  await test.api.ok('DELETE', `/api/sessions/${session.id}`)
  await using tab = await openPage(browser, test, { path: '/settings', width: 390 })
  const { page } = tab
  await page.getByText('by owner for tests').waitFor()
  await button(page, `Stop trusting ${cwd}`).click()
  await page.getByText('No folder is trusted.').waitFor()
  const path = `/api/folders?path=${encodeURIComponent(cwd)}`
  expect(await test.api.ok('GET', path)).toMatchObject({ exists: true, trusted: false })
})

it('a browser that is no owner sees neither limits nor folders', async () => {
  await using test = await startGateway()
  await using tab = await openPage(browser, test, { path: '/settings', role: 'approver' })
  await tab.page.getByText('approver.').waitFor()
  expect(await tab.page.getByText(/How long asks wait|Trusted folders/).count()).toBe(0)
})
