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

/** A gateway whose agent has asked before. */
async function startWithPast() {
  const test = await startJudgingGateway({ webFolder: WEB_FOLDER })
  return {
    ...test,
    async settle(command: string, kind: 'allow' | 'deny') {
      const outcome = test.bash(command, { title: `Bash: ${command}` })
      const ask = await until(async () => (await test.api.openAsks())[0], 'the ask')
      await test.api.answer(ask, { kind })
      await outcome
    },
  }
}

it('a rule is tried on past asks while it is written, with a warning of what was denied', async () => {
  await using test = await startWithPast()
  for (const command of ['ls', 'ls src']) await test.settle(command, 'allow')
  await test.settle('ls lib', 'deny')
  const expected = [/Failed to load resource/]
  await using tab = await openPage(browser, test, { path: '/rules', width: 390, reducedMotion: true, expected })
  const { page } = tab
  await page.getByRole('button', { name: 'Add a rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a rule' })
  await dialog.getByLabel('Allow').check()
  await dialog.getByLabel('Rule', { exact: true }).fill('Bash(ls *)')
  await dialog.getByText('would have allowed 3 asks').waitFor()
  await dialog.getByText('1 of them was denied by a person').waitFor()
  await dialog.getByText('Show what was denied').click()
  await dialog.getByText('Bash: ls lib').waitFor()
  expect(await findingsInBothThemes(page)).toEqual([])
  await dialog.getByLabel('Rule', { exact: true }).fill('Bash(ls src)')
  await dialog.getByText('would have allowed 1 ask, and none').waitFor()

  // What is not known keeps nobody from saving.
  await page.route('**/api/policy/dry-run', (route) => route.abort())
  await dialog.getByLabel('Rule', { exact: true }).fill('Bash(ls lib)')
  await dialog.getByText('could not be checked').waitFor()
  await page.getByRole('button', { name: 'Add the rule' }).click()
  await page.getByRole('button', { name: 'Remove Bash(ls lib)' }).waitFor()
})

it('a rule that a card proposes is tried on past asks', async () => {
  await using test = await startWithPast()
  await test.settle('ls src', 'allow')
  await test.settle('ls lib', 'deny')
  test.bash('ls -l').catch(() => {})
  await using tab = await openPage(browser, test, { path: `/sessions/${test.session.id}` })
  const { page } = tab
  await page.getByRole('button', { name: 'Allow and remember…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Allow and remember' })
  await dialog.getByRole('radio', { name: 'Bash(ls *)' }).check()
  await dialog.getByText('would have allowed 2 asks').waitFor()
  await dialog.getByText('1 of them was denied by a person').waitFor()
})

it('a rule is suggested for what was allowed five times, and is looked at before it is made', async () => {
  await using test = await startWithPast()
  await using empty = await openPage(browser, test, { path: '/rules' })
  await empty.page.getByText('There is nothing to suggest now.').waitFor()
  for (let n = 0; n < 5; n++) await test.settle('touch built.txt', 'allow')
  await using tab = await openPage(browser, test, { path: '/rules', width: 390, reducedMotion: true })
  const { page } = tab
  const suggestions = page.getByRole('region', { name: 'Suggestions' })
  await suggestions.getByText('would have saved 5 asks').waitFor()
  expect(await findingsInBothThemes(page)).toEqual([])
  await suggestions.getByRole('button', { name: 'Add Bash(touch built.txt)…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a rule' })
  await dialog.getByText('would have allowed 5 asks').waitFor()
  await dialog.getByRole('button', { name: 'Add the rule' }).click()
  await suggestions.getByText('There is nothing to suggest now.').waitFor()
  expect((await test.policyState()).rules).toMatchObject([
    { effect: 'allow', pattern: 'Bash(touch built.txt)', scope: { kind: 'project', folder: test.project } },
  ])
})
