import type { Session } from '@holdpoint/schema/session'
import { cardOf } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findings, findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { type OpenPageOptions, openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { until } from '@holdpoint/testing/until'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIALOG, fakeTerminal } from './fake-terminal.ts'
import { screenOf, startTerminalGateway, type TerminalGateway } from './terminal-page.ts'

let browser: Browser
let test: TerminalGateway
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startTerminalGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})
const openTerminal = (options?: OpenPageOptions) => test.openTerminal(browser, options)

const statusOf = (page: Page) => page.getByRole('region', { name: 'Terminal' }).getByRole('status')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const hasFocus = (shown: Locator) => shown.evaluate((element) => element === document.activeElement)

it('only shows, until the person takes the keyboard; then every key goes to the program, and Shift Esc gives it back', async () => {
  await using tab = await openTerminal()
  const { page, terminal } = tab
  await screenOf(page).click()
  await page.keyboard.type('1y')
  await page.keyboard.press('Enter')
  expect(terminal.received.map(({ type }) => type)).toEqual(['view'])

  await button(page, 'Type here').click()
  await statusOf(page).getByText('Your keys go to the program.').waitFor()
  await page.keyboard.type('ls -1 é')
  for (const key of ['Enter', 'ArrowUp', 'Control+c', 'Tab', 'Shift+Tab', 'Escape', 'Alt+b', 'Backspace', 'F5']) {
    await page.keyboard.press(key)
  }
  await terminal.waitForTyped('ls -1 é\r\x1b[A\x03\t\x1b[Z\x1b\x1bb\x7f\x1b[15~')
  expect(new Set(terminal.received.map(({ type }) => type))).toEqual(new Set(['view', 'input']))

  await page.keyboard.press('Shift+Escape')
  await button(page, 'Type here').waitFor()
  await until(() => hasFocus(button(page, 'Type here')), 'the focus')
  const typed = terminal.typed()
  await page.keyboard.type('nothing')
  await page.keyboard.press('Escape')
  expect(terminal.typed()).toBe(typed)
})

it('sends keys in the modes that the program has asked for, and pastes in brackets', async () => {
  await using tab = await openTerminal()
  const { page, terminal } = tab
  terminal.output('\x1b[?1h\x1b[?2004hready')
  await screenOf(page).getByText('ready').waitFor()
  await button(page, 'Type here').click()
  await page.keyboard.press('ArrowUp')
  await page.getByLabel('Keys for the program').evaluate((field) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'two\nlines\x1b[201~')
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await terminal.waitForTyped('\x1bOA\x1b[200~two\rlines[201~\x1b[201~')
})

it('takes text of an input method when it is done', async () => {
  await using tab = await openTerminal()
  const { page, terminal } = tab
  await button(page, 'Type here').click()
  const client = await page.context().newCDPSession(page)
  await client.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
  await client.send('Input.imeSetComposition', { text: '日本', selectionStart: 2, selectionEnd: 2 })
  expect(terminal.typed()).toBe('')
  await client.send('Input.insertText', { text: '日本' })
  await terminal.waitForTyped('日本')
})

it('says that someone else is typing, and that the program has ended', async () => {
  await using tab = await openTerminal()
  const { page, terminal } = tab
  terminal.send({ type: 'writer', you: false, busy: true })
  await statusOf(page).getByText('Someone else is typing.').waitFor()
  await button(page, 'Type here').click()
  await statusOf(page)
    .getByText(/Your keys are ignored/)
    .waitFor()
  terminal.send({ type: 'writer', you: true, busy: false })
  await statusOf(page).getByText('Your keys go to the program.').waitFor()
  terminal.send({ type: 'exit', code: 3 })
  await statusOf(page).getByText('The program has ended, with exit code 3.').waitFor()
  expect(await button(page, 'Stop typing').count()).toBe(0)
  // The last picture stays.
  await screenOf(page).getByText('Do you want to proceed?').waitFor()
})

it('says of an ended program that no screen was kept', async () => {
  const start = { agent: 'terminal', cwd: test.dataDir, title: 'lost' }
  const { id } = await test.api.ok<Session>('POST', '/api/sessions', start)
  await test.api.ok('DELETE', `/api/sessions/${id}`)
  await using tab = await openPage(browser, test, { path: `/sessions/${id}`, width: 390 })
  await statusOf(tab.page).getByText('The program has ended. No screen was kept.').waitFor()
})

it('finds a conversation that is not known, and shows what is typed for that before it is', async () => {
  await using tab = await openTerminal({ expected: [/status of 422/] })
  const { page, terminal } = tab
  const asked: unknown[] = []
  let reply: { status: number; json: unknown } = {
    status: 422,
    json: { error: { code: 'agent_refused', message: 'Not now.' } },
  }
  await page.route('**/api/terminals/*/conversation', (route) => {
    const request = route.request()
    if (request.method() === 'GET')
      return route.fulfill({ json: { state: 'unknown', marker: 'abc', message: 'say abc' } })
    asked.push(request.postDataJSON())
    return route.fulfill(reply)
  })
  expect(await button(page, 'Find it…').count()).toBe(0)
  terminal.send({ type: 'conversation', state: 'unknown' })
  await page.getByText('Conversation unknown.').waitFor()
  await button(page, 'Find it…').click()
  await page.getByText('say abc').waitFor()
  expect(await findings(page)).toEqual([])
  await button(page, 'Cancel').click()
  await until(() => hasFocus(button(page, 'Find it…')), 'the focus')
  expect(asked).toEqual([])

  await button(page, 'Find it…').click()
  await button(page, 'Type and send it').click()
  await page.getByRole('alert').getByText('Not now.').waitFor()
  await button(page, 'Close').click()
  reply = { status: 200, json: { found: true } }
  await button(page, 'Find it…').click()
  await button(page, 'Type and send it').click()
  await until(() => asked.length === 2, 'the second try')
  terminal.send({ type: 'conversation', state: 'known' })
  await page.getByText('Conversation unknown.').waitFor({ state: 'detached' })
  expect(asked).toEqual([{ marker: 'abc' }, { marker: 'abc' }])
})

it('comes back with the whole picture after a cut, and drops what is typed in between', async () => {
  await using tab = await openTerminal()
  const { page, terminal } = tab
  await button(page, 'Type here').click()
  terminal.output('\x1b[2J\x1b[Hleft over')
  await screenOf(page).getByText('left over').waitFor()
  // Held open but silent: the page has no picture yet.
  await page.routeWebSocket(/\/api\/terminals\//, (route) => void setTimeout(() => route.close(), 50))
  terminal.cut()
  await statusOf(page)
    .getByText(/Not connected/)
    .waitFor()
  await page.keyboard.type('lost')
  await screenOf(page).getByText('left over').waitFor()
  const after = await fakeTerminal(page, { ...DIALOG, data: 'restored' })
  await screenOf(page).getByText('restored').waitFor()
  expect(await screenOf(page).textContent()).not.toContain('left over')
  await page.getByLabel('Keys for the program').focus()
  await page.keyboard.type('kept')
  await after.waitForTyped('kept')
  expect(terminal.typed()).toBe('')
})

it('says how much it can show, first and whenever that changes, and shows what it is given', async () => {
  await using tab = await openTerminal()
  const { page, terminal } = tab
  await page.setViewportSize({ width: 1000, height: 700 })
  const resize = await until(() => terminal.received.find((frame) => frame.type === 'resize'), 'the new size')
  const [view] = terminal.received
  expect(Number(resize.cols)).toBeLessThan(Number(view?.cols))
  expect(Number(resize.rows)).toBeLessThan(Number(view?.rows))
  // Wider than the pane at any size that can be read: then the pane, and nothing else, scrolls sideways.
  terminal.send({ type: 'screen', data: `${'-'.repeat(299)}>`, cols: 300, rows: 40 })
  await screenOf(page).getByText('->').waitFor()
  const [pane, whole] = await screenOf(page).evaluate((element) => [
    element.scrollWidth > element.clientWidth,
    document.documentElement.scrollWidth,
  ])
  expect([pane, whole]).toEqual([true, 1000])
})

it('is not typed into by a browser that may only look', async () => {
  await using tab = await openTerminal({ role: 'viewer' })
  tab.terminal.send({ type: 'conversation', state: 'unknown' })
  await statusOf(tab.page).getByText('Read-only: you see what the program shows.').waitFor()
  expect(await button(tab.page, 'Type here').count()).toBe(0)
  expect(await tab.page.getByText('Conversation unknown.').count()).toBe(0)
})

it('keeps what has scrolled away in reach, and draws only what is in sight', async () => {
  await using tab = await openTerminal()
  const { page, terminal } = tab
  const many = Array.from({ length: 900 }, (_, index) => `line ${index}`)
  terminal.output(`\r\n${many.join('\r\n')}`)
  await screenOf(page).getByText('line 899').waitFor()
  expect(await screenOf(page).locator('[dir="ltr"]').count()).toBeLessThan(100)
  await screenOf(page).focus()
  await page.keyboard.press('Home')
  await screenOf(page).getByText('Do you want to proceed?').waitFor()
  // Somebody who reads is not pulled away from it.
  terminal.output('\r\nnews')
  await until(
    () => screenOf(page).evaluate((pane) => pane.scrollTop === 0 && pane.scrollHeight > 10 * pane.clientHeight),
    'the reader to be left alone',
  )
  await page.keyboard.press('End')
  await screenOf(page).getByText('news').waitFor()
})

describe.each([390, 1440] as const)('at %i px', (width) => {
  const look = width === 390 ? findingsInBothThemes : findingsOfWidth
  async function inOrder(page: Page, name: string) {
    expect.soft(await look(page, 'main'), name).toEqual([])
    await screenshots(page, `terminal/${name}`)
  }

  it('the terminal is in order alone, with a thread, with an ask, and while somebody types', async () => {
    await using tab = await openTerminal({ width })
    const { page, agent } = tab
    await screenshots(page, 'terminal/terminal')
    await button(page, 'Type here').click()
    await statusOf(page).getByText('Your keys go to the program.').waitFor()
    await inOrder(page, 'terminal-typing')
    if (width === 390) {
      for (const name of ['1', 'Up', 'Control and C', 'Enter', 'Escape']) await button(page, name).tap()
      await tab.terminal.waitForTyped('1\x1b[A\x03\r\x1b')
    }
    await agent.say('I will run the tests first.')
    const { ask } = await test.openAsk(agent, { context: { cwd: test.dataDir, command: 'npm test' } })
    await cardOf(page, ask.id).waitFor()
    // Nobody who types loses the keyboard to an ask.
    if (width === 1440) {
      expect(await hasFocus(page.getByLabel('Keys for the program'))).toBe(true)
    }
    await screenshots(page, 'terminal/terminal-ask')
    await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
    if (width === 1440) return void (await page.getByLabel('Thread').getByText('I will run the tests').waitFor())
    await button(page, 'Thread').tap()
    await page.getByLabel('Thread').getByText('I will run the tests').waitFor()
    expect(await screenOf(page).count()).toBe(0)
    await inOrder(page, 'terminal-thread')
  })
})
