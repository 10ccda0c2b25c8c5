import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardOf, press } from '../browser/cards.ts'
import { launchChromium } from '../browser/chromium.ts'
import { findings } from '../browser/findings.ts'
import { openPage } from '../browser/open-page.ts'
import { screenshots } from '../browser/screenshot.ts'
import { pickInSessionMenu } from '../browser/session-menu.ts'
import { startAttachedWorld } from './attached-world.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

it('a person answers the terminal in the web app, and sees what was answered at the terminal', {
  timeout: 60_000,
}, async () => {
  const bash = (command: string) => use('Bash', { command, description: 'a step' })
  await using world = await startAttachedWorld(steps([bash('touch here.txt'), bash('touch there.txt')]))
  const terminal = await world.terminal()
  await world.prompt(terminal, 'please begin')
  const first = await world.ask()
  await using tab = await openPage(browser, world, { path: `/sessions/${first.sessionId}` })
  const { page } = tab
  await press(cardOf(page, first.id), 'Allow once')
  const second = await world.ask(({ id }) => id !== first.id)
  expect(await world.exists('here.txt')).toBe(true)
  await cardOf(page, second.id).getByRole('button', { name: 'Allow once' }).waitFor()
  await screenshots(page, 'attached-waiting')
  await world.press(terminal, 'Do you want to proceed?', '1')
  await page.getByText('Allowed at its terminal').first().waitFor()
  await page.getByText('This agent runs in a terminal: write to it there.').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Interrupt' }).count()).toBe(0)
  await screenshots(page, 'attached-idle')
  await page.getByRole('button', { name: 'Session menu' }).click()
  await page.getByRole('menuitem', { name: 'About this session' }).waitFor()
  expect(await page.getByRole('menuitem', { name: /^End session/ }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await pickInSessionMenu(page, 'About this session')
  await page.getByText('Claude Code, in a terminal').waitFor()
  await screenshots(page, 'attached-about')
  await page.keyboard.press('Escape')
  await terminal.close()
  await page.getByRole('button', { name: 'Resume here' }).waitFor()
  await screenshots(page, 'attached-ended')
  expect(await findings(page)).toEqual([])
})
