import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Offers } from '@holdpoint/schema/offers'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const OFFERS: Offers = {
  models: [],
  commands: [
    { name: 'compact', description: 'Shorten the conversation' },
    { name: 'config', description: 'Change settings', argumentHint: 'key=value' },
    { name: 'review', description: 'Review a pull request', argumentHint: '[number]' },
  ],
}
const offers = async () => OFFERS
const FILES = ['readme.md', 'src/app.ts', 'src/my notes.md', 'src/a\u202Etxt.exe', 'dist/ignored.js']
const COMMAND = 'npm publish --tag next'
const BASH = { tool: { name: 'Bash', input: { command: COMMAND } }, context: { command: COMMAND } }

async function start() {
  const test = await startAppGateway({ offers })
  const cwd = join(test.dataDir, 'project')
  for (const folder of ['src', 'dist', '.git']) await mkdir(join(cwd, folder), { recursive: true })
  for (const file of FILES) await writeFile(join(cwd, file), '')
  await writeFile(join(cwd, '.gitignore'), 'dist/\n')
  return { test, ...(await test.session({ cwd })) }
}

const box = (page: Page) => page.getByRole('textbox', { name: 'Message to the agent' })
const options = (page: Page) => page.getByRole('form', { name: 'Message' }).getByRole('option')
const shown = async (page: Page) => (await options(page).allInnerTexts()).map((text) => text.split('\n')[0])
const valueIs = (page: Page, value: string) =>
  until(async () => (await box(page).inputValue()) === value, `“${value}” in the box`)

it('completes commands and files from the keyboard, recalls what was sent, and Escape stops the agent', async () => {
  const { test, session, agent } = await start()
  await using _ = test
  await using tab = await openPage(browser, test, { reducedMotion: true, path: `/sessions/${session.id}` })
  const { page } = tab
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key)
  }
  await box(page).click()
  await page.keyboard.type('/')
  await options(page).nth(2).waitFor()
  expect(await box(page).getAttribute('aria-activedescendant')).toBe(await options(page).first().getAttribute('id'))
  expect(await findingsInBothThemes(page)).toEqual([])
  await screenshots(page, 'composer-commands')
  // The list has Escape first, and says nothing more of this word.
  await keys('Escape')
  await page.keyboard.type('r')
  expect(await options(page).count()).toBe(0)
  await box(page).fill('')
  await page.keyboard.type('/co')
  await until(async () => (await options(page).count()) === 2, 'two commands')
  await keys('ArrowDown', 'Enter')
  await valueIs(page, '/config ')
  await page.keyboard.type('x=1 and @rea')
  await until(async () => (await shown(page)).includes('readme.md'), 'the file')
  await keys('Tab')
  await page.keyboard.type('@sr')
  await until(async () => (await shown(page))[0] === 'src/', 'the folder')
  await keys('Enter')
  await until(async () => (await shown(page))[0] === 'src/app.ts', 'what is in it')
  expect(await shown(page)).toEqual(['src/app.ts', 'src/a⟨U+202E⟩txt.exe', 'src/my notes.md'])
  await screenshots(page, 'composer-files')
  // What hides something in its name is shown, and never put into the message.
  await options(page).filter({ hasText: 'U+202E' }).click({ force: true })
  await valueIs(page, '/config x=1 and @readme.md @src/')
  await page.keyboard.type('my')
  await until(async () => (await shown(page)).join() === 'src/my notes.md', 'the notes')
  await keys('Enter')
  await valueIs(page, '/config x=1 and @readme.md @"src/my notes.md" ')
  expect(agent.messages).toEqual([])
  await keys('Enter')
  await until(() => agent.messages.length === 1, 'the message')
  expect(agent.messages[0]?.text).toBe('/config x=1 and @readme.md @"src/my notes.md" ')

  await page.keyboard.type('second')
  await keys('Enter')
  await keys('ArrowUp', 'ArrowUp')
  await valueIs(page, '/config x=1 and @readme.md @"src/my notes.md" ')
  expect(await options(page).count()).toBe(0)
  await keys('ArrowDown')
  await valueIs(page, 'second')
  await keys('ArrowDown')
  await valueIs(page, '')

  // An ask that waits is not withdrawn by a key.
  await page.keyboard.type('third')
  const { ask } = await test.openAsk(agent, BASH)
  await page.getByText('needs an answer: show it').waitFor()
  await screenshots(page, 'composer-while-asked')
  await keys('Escape')
  expect((await test.api.openAsks(session.id)).map(({ id }) => id)).toEqual([ask.id])
  expect(agent.interrupts()).toBe(0)
  // Nor answered by one: Enter sends after it.
  await keys('Enter')
  await page.getByRole('list', { name: 'Queued messages' }).or(page.getByText('third')).first().waitFor()
  expect((await test.api.openAsks(session.id)).map(({ id }) => id)).toEqual([ask.id])
  await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  await box(page).focus()
  await keys('Escape')
  await until(() => agent.interrupts() === 1, 'the agent to be stopped')
})

it('while an ask waits, Enter sends after it, and only a press denies with the words: on a phone', async () => {
  const { test, session, agent } = await start()
  await using _ = test
  const path = `/sessions/${session.id}`
  await using tab = await openPage(browser, test, { width: 390, reducedMotion: true, path, role: 'approver' })
  const { page } = tab
  await box(page).tap()
  await page.keyboard.type('/co')
  await options(page).nth(1).waitFor()
  await screenshots(page, 'composer-commands')
  expect(await options(page).nth(1).innerText()).toContain('Only an owner of all sessions may send it')
  await options(page).nth(1).tap({ force: true })
  await valueIs(page, '/co')
  await options(page).first().tap()
  await valueIs(page, '/compact ')
  await box(page).fill('')

  await page.keyboard.type('start')
  await page.getByRole('button', { name: 'Send', exact: true }).tap()
  await until(() => agent.messages.length === 1, 'the first message')
  const first = await test.openAsk(agent, BASH)
  await cardOf(page, first.ask.id).waitFor()
  await page.getByRole('button', { name: 'Write a message instead' }).tap()
  await page.keyboard.type('use the beta tag')
  const form = page.getByRole('form', { name: 'Message' })
  await form.getByText(COMMAND).waitFor()
  expect(await findingsInBothThemes(page)).toEqual([])
  await screenshots(page, 'composer-while-asked')
  await form.getByRole('button', { name: 'Send after this' }).tap()
  await until(async () => (await box(page).inputValue()) === '', 'the message to be sent')
  expect((await test.api.openAsks(session.id)).map(({ id }) => id)).toEqual([first.ask.id])

  await box(page).tap()
  await page.keyboard.type('no: use the beta tag')
  // A script's click is not a person's.
  await form.getByRole('button', { name: 'Deny with these words' }).evaluate((button: HTMLElement) => button.click())
  await press(form, 'Deny with these words')
  expect(await first.outcome).toMatchObject({ kind: 'denied', answer: { message: 'no: use the beta tag' } })
  await valueIs(page, '')
  expect(await findingsOfWidth(page)).toEqual([])
  // Nobody writes any more: the next one comes to the front.
  const next = await test.openAsk(agent, BASH)
  await cardOf(page, next.ask.id).waitFor()
})

it('takes pictures that are pasted, or dropped anywhere on the session, and shows them', async () => {
  const { test, session, agent } = await start()
  await using _ = test
  await using tab = await openPage(browser, test, { reducedMotion: true, path: `/sessions/${session.id}` })
  const { page } = tab
  await box(page).waitFor()
  const give = (how: 'paste' | 'drop', name: string) =>
    page.evaluate(
      ([type, named]) => {
        const bytes = Uint8Array.from(atob('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs='), (c) => c.charCodeAt(0))
        const data = new DataTransfer()
        data.items.add(new File([bytes], named ?? '', { type: 'image/gif' }))
        const target = document.querySelector(type === 'paste' ? 'form textarea' : 'main h1, h1')
        const more = { bubbles: true, cancelable: true }
        if (type === 'paste') target?.dispatchEvent(new ClipboardEvent('paste', { ...more, clipboardData: data }))
        else
          for (const step of ['dragover', 'drop'])
            target?.dispatchEvent(new DragEvent(step, { ...more, dataTransfer: data }))
      },
      [how, name] as const,
    )
  await give('paste', 'pasted.gif')
  await give('drop', 'dropped.gif')
  const chips = page.getByRole('list', { name: 'Attachments' })
  await until(async () => (await chips.locator('img').count()) === 2, 'both pictures')
  expect(await chips.getByRole('listitem').allInnerTexts()).toEqual(['pasted.gif', 'dropped.gif'])
  await screenshots(page, 'composer-pictures')
  await box(page).fill('see these')
  await page.keyboard.press('Enter')
  await until(() => agent.messages.length === 1, 'the message')
  expect(agent.messages[0]?.attachments).toHaveLength(2)
})
