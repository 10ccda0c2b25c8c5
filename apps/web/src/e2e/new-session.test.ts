import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '@holdpoint/schema/session'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findings, findingsInBothThemes } from '@holdpoint/testing/browser/findings'
import { focused } from '@holdpoint/testing/browser/focus'
import { type OpenPageOptions, openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { createSyntheticDriver } from '@holdpoint/testing/synthetic-driver'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const MODELS = [
  { value: 'opus', name: 'Opus', description: 'Opus 5.5 · Best for everyday, complex tasks' },
  { value: 'haiku', name: 'Haiku' },
]

/** A gateway whose Claude Code has worked in `blog` and `web` before. */
async function world(options: OpenPageOptions) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-new-')))
  for (const folder of ['shop-app/src', 'shop-api', 'blog', 'web', 'shop\u202Eppa'])
    await mkdir(join(root, folder), { recursive: true })
  const claude = createSyntheticDriver('claude', { offers: async () => ({ models: MODELS, commands: [] }) })
  const test = await startAppGateway({ drivers: () => [claude.driver] })
  for (const folder of ['web', 'blog']) {
    await test.api.ok('POST', '/api/sessions', { agent: 'claude', cwd: join(root, folder), prompt: 'An earlier one' })
  }
  const tab = await openPage(browser, test, { reducedMotion: true, ...options })
  return {
    root,
    page: tab.page,
    folder: tab.page.getByRole('combobox', { name: 'Folder' }),
    start: tab.page.getByRole('button', { name: 'Start', exact: true }),
    async sessions() {
      const { sessions } = await test.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')
      return sessions.filter(({ title }) => title !== 'An earlier one')
    },
    async [Symbol.asyncDispose]() {
      await tab[Symbol.asyncDispose]()
      await test[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}

const focusIs = (page: Page) => expect.poll(() => focused(page), { interval: 20 })

it('starts a session by the keyboard alone: completes the folder, says what is missing, picks a model', async () => {
  await using app = await world({})
  const { page, folder, root } = app
  const press = (key: string) => page.keyboard.press(key)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await press('n')
  await focusIs(page).toBe('input Folder')
  await page.keyboard.type(`${root}/sho`)
  const marked = page.getByRole('option', { selected: true }).filter({ hasText: root })
  await marked.waitFor()
  expect(await page.getByRole('listbox', { name: 'Folders' }).getByRole('option').allInnerTexts()).toEqual([
    `${root}/shop-api`,
    `${root}/shop-app`,
    expect.stringContaining('202E'),
  ])
  expect(await folder.getAttribute('aria-activedescendant')).toBe(await marked.getAttribute('id'))
  expect(await findings(page, 'main')).toEqual([])
  await screenshots(page, 'new-session/folders')
  await press('ArrowDown')
  await press('Enter')
  expect(await folder.inputValue()).toBe(`${root}/shop-app/`)
  // What is in it is offered, and nothing of that is taken before it is marked.
  await page.getByRole('option', { name: `${root}/shop-app/src` }).waitFor()
  await press('Escape')
  expect(await page.getByRole('listbox').count()).toBe(0)
  await page.getByText('Write the first message.').waitFor()
  await press('Enter')
  await focusIs(page).toBe('textarea First message')
  expect(await app.start.getAttribute('aria-disabled')).toBe('true')
  await expect
    .poll(() =>
      app.start.evaluate((button) => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.innerText),
    )
    .toBe('Write the first message.')
  await page.keyboard.type('Tidy up')
  await page.getByLabel('Model').selectOption('Opus')
  await page.getByText('Best for everyday').waitFor()
  await page.getByLabel('First message').press('Control+Enter')
  await focusIs(page).toMatch(/^button /)
  await page.getByRole('button', { name: 'Start without trusting' }).press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Tidy up' }).waitFor()
  expect(await app.sessions()).toMatchObject([
    { cwd: join(root, 'shop-app'), model: 'opus', permissionMode: 'default' },
  ])
})

it('starts one on a phone, and confirms that nothing is to be asked: before it starts, and before it is switched to', async () => {
  await using app = await world({ width: 390, path: '/new' })
  const { page, folder, root, start } = app
  await page.getByRole('button', { name: 'web' }).waitFor()
  await start.tap({ force: true })
  await focusIs(page).toBe('input Folder')
  await page.getByText('Choose a folder.').waitFor()
  // A part of the name of a recent folder is enough.
  await folder.fill('BLO')
  await page.getByRole('listbox', { name: 'Recent folders' }).getByRole('option').tap()
  expect(await folder.inputValue()).toBe(join(root, 'blog'))
  await page.getByLabel('First message').fill('Go')
  await page.getByText('Other modes').tap()
  await page.getByRole('radio', { name: 'Run without asking' }).check()
  expect(await findingsInBothThemes(page, 'main')).toEqual([])
  await screenshots(page, 'new-session/without-asking')

  await start.tap()
  const confirm = page.getByRole('dialog', { name: 'Run without asking?' })
  await confirm.getByText(join(root, 'blog')).waitFor()
  await focusIs(page).toBe('button Cancel')
  expect(await findingsInBothThemes(page, 'dialog[open]')).toEqual([])
  await screenshots(page, 'new-session/confirm')
  await page.keyboard.press('Enter')
  await confirm.waitFor({ state: 'detached' })
  expect(await app.sessions()).toEqual([])
  await start.tap()
  await confirm.getByRole('button', { name: 'Run without asking' }).tap()
  await page.getByRole('button', { name: 'Start without trusting' }).tap()
  await page.getByRole('heading', { level: 1, name: 'Go' }).waitFor()
  const mode = async () => (await app.sessions()).map(({ permissionMode }) => permissionMode)
  expect(await mode()).toEqual(['bypassPermissions'])

  await page.getByRole('button', { name: 'Session menu' }).tap()
  await page.getByRole('menuitem', { name: 'About this session' }).tap()
  const select = page.getByRole('dialog').getByLabel('Permission mode')
  await select.selectOption('Ask')
  await expect.poll(mode).toEqual(['default'])
  await select.selectOption('Run without asking')
  await confirm.getByRole('button', { name: 'Cancel' }).tap()
  await confirm.waitFor({ state: 'detached' })
  expect(await mode()).toEqual(['default'])
  expect(await select.inputValue()).toBe('default')
  await select.selectOption('Run without asking')
  await confirm.getByRole('button', { name: 'Run without asking' }).tap()
  await expect.poll(mode).toEqual(['bypassPermissions'])
})
