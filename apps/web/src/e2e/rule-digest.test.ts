import { WEB_FOLDER } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { startJudgingGateway } from '@holdpoint/testing/judging-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const LS = { effect: 'allow', agent: '*', pattern: 'Bash(ls *)', scope: { kind: 'everywhere' } }

it('the inbox says what rules let through since a person last looked, and leads to the calls and the rule', async () => {
  await using test = await startJudgingGateway({ webFolder: WEB_FOLDER })
  const { id } = await test.addRule(LS)
  await test.bash('ls before')
  await using tab = await openPage(browser, test, { width: 390, reducedMotion: true })
  const { page } = tab
  await until(
    () => page.evaluate(() => localStorage.getItem('holdpoint.rules-looked-at') ?? undefined),
    'the first look',
  )
  for (const command of ['ls src', 'ls lib']) await test.bash(command, { title: `Bash: ${command}` })
  await page.reload()
  const line = page.getByText('2 calls were allowed by 1 rule')
  await line.click()
  await page.getByText('Bash(ls *)').waitFor()
  await page.getByText('Bash: ls lib').waitFor()
  expect(await findingsInBothThemes(page)).toEqual([])

  await page.getByRole('link', { name: 'See the calls' }).click()
  await page.getByText('Only what one rule decided').waitFor()
  expect(new URL(page.url()).search).toBe(`?rule=${id}`)
  await until(async () => (await page.getByRole('main').locator('li').count()) === 3, 'the calls of the rule')

  await page.goBack()
  await line.click()
  await page.getByRole('button', { name: 'Remove the rule…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('A rule that is gone by now').waitFor()
  expect((await test.policyState()).rules).toEqual([])

  await page.getByRole('button', { name: 'Mark as seen' }).click()
  await line.waitFor({ state: 'detached' })
})

it('the inbox keeps its asks where this part of the page cannot be loaded', async () => {
  await using test = await startJudgingGateway({ webFolder: WEB_FOLDER })
  await using tab = await openPage(browser, test, { expected: [/rule-digest|ERR_FAILED/] })
  const { page } = tab
  await page.route('**/rule-digest*', (route) => route.abort())
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('rule-digest'))
  await page.reload()
  await failed
  test.bash('touch a').catch(() => {})
  await page.getByRole('button', { name: 'Allow once' }).waitFor()
})

it('an approver is not offered to remember what only a rule could', async () => {
  await using test = await startJudgingGateway({ webFolder: WEB_FOLDER })
  const input = { file_path: `${test.project}/a.ts`, old_string: 'a', new_string: 'b' }
  test.call({ name: 'Edit', input }).catch(() => {})
  const remember = { name: 'Allow and remember…' }
  await using owner = await openPage(browser, test, {})
  await owner.page.getByRole('button', remember).waitFor()
  await using approver = await openPage(browser, test, { role: 'approver' })
  const { page } = approver
  await page.getByRole('button', { name: 'Allow once' }).waitFor()
  await page.getByRole('button', remember).waitFor({ state: 'detached' })
})
