import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '@holdpoint/schema/session'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { type BuiltGateway, startBuiltGateway } from '@holdpoint/testing/built-gateway'
import { recordedTranscripts } from '@holdpoint/testing/terminal/recorded/recorded'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { screenOf } from './terminal-page.ts'

let browser: Browser
let gateway: BuiltGateway
beforeAll(async () => {
  ;[gateway, browser] = await Promise.all([startBuiltGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await gateway[Symbol.asyncDispose]()
})

const status = (page: Page, words: string | RegExp) =>
  page.getByRole('region', { name: 'Terminal' }).getByRole('status').getByText(words)

it('two browsers see one real program, one of them types, and both learn how it ended', async () => {
  const { id } = await gateway.api.ok<Session>('POST', '/api/terminals', {
    command: 'bash',
    args: ['--norc', '--noprofile'],
    cwd: gateway.dataDir,
    cols: 80,
    rows: 24,
  })
  await using desk = await openPage(browser, gateway, { path: `/sessions/${id}` })
  await using phone = await openPage(browser, gateway, { width: 390, path: `/sessions/${id}` })
  for (const { page } of [desk, phone])
    await screenOf(page)
      .getByText(/^bash-/)
      .waitFor()
  await desk.page.getByRole('button', { name: 'Type here' }).click()
  await desk.page.keyboard.type('echo "answer $((40 + 2))"')
  await status(phone.page, 'Someone else is typing.').waitFor()
  await desk.page.keyboard.press('Enter')
  for (const { page } of [desk, phone]) await screenOf(page).getByText('answer 42').waitFor()

  // Once they pause, the other one can, and the terminal takes the size of that one's pane.
  await status(phone.page, 'Read-only: you see what the program shows.').waitFor()
  await phone.page.getByRole('button', { name: 'Type here' }).tap()
  await phone.page.getByRole('button', { name: '7', exact: true }).tap()
  await status(desk.page, 'Someone else is typing.').waitFor()
  await phone.page.getByRole('button', { name: 'Control and C' }).tap()
  await phone.page.getByRole('button', { name: 'Keyboard' }).tap()
  await phone.page.keyboard.type('echo "$COLUMNS columns"; exit 7')
  await phone.page.keyboard.press('Enter')
  for (const { page } of [desk, phone]) await status(page, 'The program has ended, with exit code 7.').waitFor()
  await screenOf(phone.page)
    .getByText(/^[3-6]\d columns/)
    .waitFor()
  await phone.page.getByText('The program ended with exit code 7.').waitFor()

  await using later = await openPage(browser, gateway, { width: 390, path: `/sessions/${id}`, reducedMotion: true })
  await screenOf(later.page).getByText('answer 42').waitFor()
  await status(later.page, 'The program has ended, with exit code 7. This is the last screen.').waitFor()
  expect(await later.page.getByRole('button', { name: 'Type here' }).count()).toBe(0)
  expect(await later.page.getByLabel('Thread').count()).toBe(0)
  expect(await findingsInBothThemes(later.page, 'main')).toEqual([])
})

it('a real transcript is listed, found by its folder, and read', async () => {
  const recorded = recordedTranscripts().find(({ name }) => name === 'two-turns')
  const folder = join(gateway.dataDir, '.claude/projects/-home-ann-code')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, '0d6e4f5a-0000-4000-8000-000000000001.jsonl'), recorded?.session ?? '')
  await using tab = await openPage(browser, gateway, { path: '/past' })
  const { page } = tab
  await page.getByLabel('Search by folder').fill('ann/code')
  await page.locator('main').getByRole('link').first().click()
  await until(async () => (await page.getByLabel('Thread').textContent()) !== '', 'the thread')
  await page.getByRole('button', { name: 'Resume here' }).waitFor()
})
