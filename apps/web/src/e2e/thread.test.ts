import { readFile } from 'node:fs/promises'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findings } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
let test: TestGateway
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

it('goes to the end by the keyboard, and leaves the focus in the thread when the button goes', async () => {
  const { agent, session } = await test.session()
  for (let number = 0; number < 40; number++) await agent.say(`Paragraph ${number}.\n\nAnd one more.`)
  await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
  const thread = tab.page.getByRole('region', { name: 'Thread' })
  await tab.page.getByText('Paragraph 39.').waitFor()
  const jump = tab.page.getByRole('button', { name: 'Jump to latest' })
  await until(async () => {
    await thread.hover()
    await tab.page.mouse.wheel(0, -2000)
    return jump.isVisible()
  }, 'the button')
  await jump.focus()
  await tab.page.keyboard.press('Enter')
  await jump.waitFor({ state: 'detached' })
  await tab.page.getByText('Paragraph 39.').waitFor()
  expect(await thread.evaluate((element) => element === document.activeElement)).toBe(true)
})

it('keeps a row in sight that gets the focus while the list still scrolls to its end', async () => {
  const { agent, session } = await test.session()
  const calls = Array.from({ length: 40 }, (_, number) => ({
    type: 'tool-call' as const,
    toolUseId: `call${number}`,
    name: 'Read',
    input: { file_path: `part-${number}` },
  }))
  await agent.start.emit(calls.map((item) => ({ type: 'item', item })))
  await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
  const thread = tab.page.getByRole('region', { name: 'Thread' })
  await thread.getByText('part-39').waitFor()
  const isInSight = await thread.evaluate(async (region) => {
    const frame = () => new Promise(requestAnimationFrame)
    const first = region.querySelector<HTMLElement>('a, button, summary')
    const row = first?.closest<HTMLElement>('[style*="position"]')
    if (!first || !row) throw new Error('the thread has no row that can get the focus')
    // As when text comes in: the list scrolls to its end, and goes on with that when a row is measured once more.
    const grow = async (px: number) => {
      row.style.minHeight = `${px}px`
      for (let n = 0; n < 3; n++) await frame()
    }
    await grow(100)
    first.focus({ focusVisible: true } as FocusOptions)
    await frame()
    await grow(200)
    const [seen, room] = [first.getBoundingClientRect(), region.getBoundingClientRect()]
    return first.isConnected && seen.bottom > room.top && seen.top < room.bottom
  })
  expect(isInSight).toBe(true)
})

it('finds what is neither drawn nor loaded, opens what it is folded in, and leaves Ctrl-F elsewhere to the browser', async () => {
  const { agent, session } = await test.session()
  const call = (toolUseId: string, text: string, more: { subagent?: string } = {}) => [
    { type: 'tool-call' as const, toolUseId, name: 'Read', input: {}, ...more },
    { type: 'tool-result' as const, toolUseId, text, isError: false, ...more },
  ]
  const items = [
    ...call('sends', 'Sent.'),
    ...call('old', 'A needle in an old output.', { subagent: 'sends' }),
    ...Array.from({ length: 300 }, (_, number) => ({
      type: 'message' as const,
      role: 'assistant' as const,
      text: number === 295 ? 'The Needle of today.' : `Paragraph ${number}.`,
    })),
  ]
  await agent.start.emit(items.map((item) => ({ type: 'item', item })))
  for (const width of [1440, 390] as const) {
    await using tab = await openPage(browser, test, { path: `/sessions/${session.id}`, width })
    const { page } = tab
    const thread = page.getByRole('region', { name: 'Thread' })
    await page.getByText('Paragraph 299.').waitFor()
    const field = page.getByRole('searchbox', { name: 'Search this thread' })
    await page.getByRole('textbox', { name: 'Message to the agent' }).focus()
    await page.keyboard.press('Control+f')
    expect(await field.count()).toBe(0)
    if (width === 1440) {
      await thread.focus()
      await page.keyboard.press('Control+f')
    } else {
      await page.getByRole('button', { name: 'Session menu' }).tap()
      await page.getByRole('menuitem', { name: 'Search this thread' }).tap()
    }
    await field.fill('needle')
    await page.getByText('2 found').waitFor()
    await page.keyboard.press('Enter')
    await thread.locator('[data-found]', { hasText: 'The Needle of today.' }).waitFor()
    await page.getByText('1 of 2').waitFor()
    await page.keyboard.press('Enter')
    await thread.locator('[data-found]', { hasText: 'A needle in an old output.' }).waitFor()
    await page.getByText('2 of 2').waitFor()
    expect(await findings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    expect(await thread.evaluate((element) => element === document.activeElement)).toBe(true)
  }
})

it('saves a thread as a file, from its menu', async () => {
  const { agent, session } = await test.session()
  await agent.say('Keep this.')
  await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
  await tab.page.getByText('Keep this.').waitFor()
  const download = tab.page.waitForEvent('download')
  await tab.page.getByRole('button', { name: 'Session menu' }).click()
  await tab.page.getByRole('menuitem', { name: 'Save as Markdown' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^holdpoint-[a-z0-9-]+\.md$/)
  expect(await readFile(await file.path(), 'utf8')).toContain('> Keep this.')
})

it('copies a message, its code, and a command and its output', async () => {
  const { agent, session } = await test.session()
  const display = { verb: 'Run command', icon: 'terminal', shownIn: { command: 'command' } } as const
  const text = 'Run it:\n\n```sh\nnpm test\n```'
  await agent.start.emit([
    { type: 'item', item: { type: 'message', role: 'assistant', text } },
    { type: 'item', item: { type: 'tool-call', toolUseId: 't', name: 'Bash', input: { command: 'ls -la' }, display } },
    { type: 'item', item: { type: 'tool-result', toolUseId: 't', text: 'a\tb', isError: false } },
  ])
  await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
  await tab.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await tab.page.getByRole('button', { name: /Run command/ }).click()
  for (const [what, copied] of [
    ['message', text],
    ['code', 'npm test'],
    ['command', 'ls -la'],
    ['output', 'a\tb'],
  ] as const) {
    await tab.page.getByRole('button', { name: `Copy the ${what}` }).focus()
    await tab.page.keyboard.press('Enter')
    await until(async () => (await tab.page.evaluate(() => navigator.clipboard.readText())) === copied, what)
  }
})
