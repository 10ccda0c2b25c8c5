import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WEB_FOLDER } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { startJudgingGateway } from '@holdpoint/testing/judging-gateway'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const PUSH = { effect: 'ask', pattern: 'Bash(git push *)', why: 'Others build from it.' }
const text = (...rules: object[]) => JSON.stringify({ rules }, undefined, 2)

it('the page of rules shows the rules of both policy files, what waits, and the line of an error', async () => {
  await using test = await startJudgingGateway({ webFolder: WEB_FOLDER })
  const own = join(test.dataDir, 'policy.json')
  const brought = join(test.project, '.holdpoint/policy.json')
  await using tab = await openPage(browser, test, { path: '/rules', width: 390, reducedMotion: true })
  const { page } = tab
  const section = (name: string) => page.getByRole('region', { name, exact: true })
  const [file, repository] = [section('Policy file'), section('Policy file of a repository')]
  await file.getByText(own).waitFor()
  await file.getByText('holdpoint rules export').waitFor()
  await repository.getByText('has no policy file of its own').waitFor()

  writeFileSync(own, text(PUSH, { effect: 'allow', pattern: 'Bash(git log *)' }))
  mkdirSync(join(test.project, '.holdpoint'))
  writeFileSync(brought, text({ effect: 'deny', pattern: 'Bash(rm *)' }, { effect: 'allow', pattern: 'Bash(curl *)' }))
  await page.reload()
  await file.getByText('Others build from it.').waitFor()
  expect(await file.getByRole('status').innerText()).toContain('Bash(git log *)')
  await repository.getByText('Bash(rm *)').waitFor()
  await repository.getByText('has no effect').waitFor()
  expect(await page.getByRole('button', { name: /^(Edit|Remove) / }).count()).toBe(0)
  expect(await findingsInBothThemes(page)).toEqual([])

  writeFileSync(own, text(PUSH, { effect: 'ask', pattern: 'Bash(' }))
  writeFileSync(brought, '{\n  "rules": [\n    1,\n  ]\n}')
  await page.reload()
  expect(await file.getByRole('alert').innerText()).toContain('in line 8')
  await file.getByText('Bash(git push *)').waitFor()
  expect(await repository.getByRole('alert').innerText()).toContain('in line 3')
})
