import type { Session } from '@holdpoint/schema/session'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { createSyntheticDriver } from '@holdpoint/testing/synthetic-driver'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

it('an owner sets how long sessions stay, sees before what that would move, and deletes a session with its words', async () => {
  await using test = await startAppGateway({ drivers: () => [createSyntheticDriver('claude').driver] })
  const start = (prompt: string) =>
    test.api.ok<Session>('POST', '/api/sessions', { agent: 'claude', cwd: '/tmp', prompt })
  const [secret, other] = [await start('A secret that nobody should read'), await start('Something else')]
  for (const { id } of [secret, other]) await test.api.ok('DELETE', `/api/sessions/${id}`)
  await using tab = await openPage(browser, test, { path: '/settings', width: 390 })
  const { page } = tab
  const panel = page.locator('section').filter({ hasText: 'Keep sessions' })
  await panel.getByText('stay forever').waitFor()
  await button(page, 'Set how long').click()
  await page.getByText('Nothing would move now.').waitFor()
  expect(await findingsInBothThemes(page, 'dialog[open]')).toEqual([])
  await page.getByLabel('Ended sessions move to the archive after').selectOption('30')
  await button(page, /^Set$/).click()
  await panel.getByText('move 30 days after their last change').waitFor()
  expect(await test.api.ok('GET', '/api/retention')).toEqual({ keep: [{ days: 30 }] })
  await button(page, 'Remove the setting for all folders').click()
  await panel.getByText('stay forever').waitFor()

  await page.goto(`${test.api.url}/sessions/${secret.id}`)
  await page.getByRole('main').getByText('A secret that nobody should read').last().waitFor()
  await button(page, 'Session menu').click()
  await page.getByRole('menuitem', { name: 'Delete session…' }).click()
  await page.getByText('Goes, for good:').waitFor()
  expect(await findingsInBothThemes(page, 'dialog[open]')).toEqual([])
  await button(page, 'Delete it').click()
  await page.getByText('What was said in it was deleted').waitFor()
  expect(await page.getByText('A secret that nobody should read').count()).toBe(0)
  expect(await findingsInBothThemes(page)).toEqual([])
  expect(await button(page, 'Resume').count()).toBe(0)
  await until(async () => (await test.api.ok<Session>('GET', `/api/sessions/${secret.id}`)).deleted, 'the deletion')
  await page.goto(`${test.api.url}/sessions`)
  await page.getByRole('main').getByText('Something else').first().waitFor()
  expect(await page.getByText('Deleted session').count()).toBe(0)
})
