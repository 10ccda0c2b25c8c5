import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startChangesGateway } from '@holdpoint/testing/browser/changes-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findings, findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { pickInSessionMenu } from '@holdpoint/testing/browser/session-menu'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const shot = process.env.HOLDPOINT_SHOTS

it('shows what a session changed, on a desk and on a phone, and sends comments on lines as one message', async () => {
  await using changes = await startChangesGateway()
  const { test, folder } = changes
  const lines = Array.from({ length: 30 }, (_, number) => `export const value${number} = ${number}\n`)
  await mkdir(join(folder, 'src'), { recursive: true })
  await writeFile(join(folder, 'src/values.ts'), lines.join(''))
  await writeFile(join(folder, 'old.txt'), 'old\n')
  const { session, agent } = await test.session({ cwd: folder, prompt: 'Change some files' })
  await until(() => agent.messages.length === 1, 'the first message')
  await writeFile(join(folder, 'src/values.ts'), lines.join('').replace('value7 = 7', 'value7 = 70'))
  await writeFile(join(folder, 'src/\u{202E}new.ts'), 'export {}\n')
  await rm(join(folder, 'old.txt'))
  await agent.say('Done.')
  await agent.endTurn()

  await using desk = await openPage(browser, test, { path: `/sessions/${session.id}`, reducedMotion: true })
  await desk.page.getByRole('link', { name: 'Changes', exact: true }).click()
  const pane = desk.page.getByRole('region', { name: 'Changed files' })
  await pane.getByText('3 files').waitFor()
  // Beside the thread.
  await desk.page.getByText('Done.').waitFor()
  await pane.getByText('⟨U+202E⟩').waitFor()
  await pane.getByRole('button', { name: /values\.ts/ }).click()
  await pane.getByText('export const value7 = 70').waitFor()
  await pane.getByRole('button', { name: 'Comment on line 8', exact: true }).click()
  await pane.getByRole('textbox', { name: 'Line 8' }).fill('Why seventy?')
  await desk.page.keyboard.press('Control+Enter')
  await pane.getByRole('button', { name: 'Send 1 comment' }).waitFor()
  if (shot) await desk.page.screenshot({ path: join(shot, 'changes-1440.png') })
  expect(await findings(desk.page, 'section[aria-label="Changed files"]')).toEqual([])

  await using phone = await openPage(browser, test, {
    width: 390,
    path: `/sessions/${session.id}`,
    reducedMotion: true,
  })
  await pickInSessionMenu(phone.page, 'Changed files')
  const view = phone.page.getByRole('region', { name: 'Changed files' })
  await view.getByRole('button', { name: /values\.ts/ }).click()
  await view.getByRole('button', { name: 'Comment on a line' }).click()
  await view.getByRole('textbox', { name: 'Removed line 8' }).fill('Keep this')
  // A finger does not hit a line: the comment is moved, with what is written.
  await view.getByRole('button', { name: 'The line below' }).click()
  expect(await view.getByRole('textbox', { name: 'Line 8' }).inputValue()).toBe('Keep this')
  if (shot) await phone.page.screenshot({ path: join(shot, 'changes-390.png') })
  expect(await findingsInBothThemes(phone.page, 'section[aria-label="Changed files"]')).toEqual([])
  if (shot) {
    await phone.page.emulateMedia({ colorScheme: 'dark' })
    await phone.page.screenshot({ path: join(shot, 'changes-390-dark.png') })
  }

  await pane.getByRole('button', { name: 'Send 1 comment' }).click()
  const sent = await until(() => agent.messages[1], 'the message with the comment')
  expect(sent.text).toBe(
    'Comments on the changed files:\n\nsrc/values.ts:8\n> export const value7 = 70\n\nWhy seventy?',
  )
  // The message is where the next comparison begins.
  await pane.getByRole('button', { name: 'Since the last message' }).click()
  await pane.getByText('No file has changed since the last message.').waitFor()
})
