import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { type PopulatedGateway, startPopulatedGateway } from '@holdpoint/testing/browser/populated-gateway'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

const WIDTHS = [640, 700, 760, 820, 899, 900, 960, 1020, 1100]

const WINDOWS = WIDTHS.flatMap((width) => [16, 20, 24].map((size) => [width, size] as const))

let browser: Browser
let busy: PopulatedGateway
beforeAll(async () => {
  ;[busy, browser] = await Promise.all([startPopulatedGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await busy[Symbol.asyncDispose]()
})

it('has room for many asks that wait for long in the header of the inbox', async () => {
  await using test = await startAppGateway()
  const { agent } = await test.session()
  for (let count = 0; count < 42; count++) await test.openAsk(agent, { title: `ask ${count}` })
  await using tab = await openPage(browser, test, { reducedMotion: true, clock: 'running' })
  const { page } = tab
  await page.getByRole('heading', { level: 1, name: '42 need an answer' }).waitFor()
  await page.clock.fastForward(13 * 3_600_000)
  const heading = page.getByRole('heading', { level: 1 })
  for (const [width, size] of WINDOWS) {
    await page.setViewportSize({ width, height: 700 })
    await page.evaluate(enlarge, size)
    expect.soft(await heading.evaluate(overlaps), `${width} px, letters of ${size} px`).toEqual([])
    if (width === 700 || width === 900) await screenshots(page, 'narrow-many')
  }
})

it.each(['waiting', 'may-wait', 'frozen'] as const)('has room for a long title: %s', async (status) => {
  await using test = await startAppGateway()
  const { agent, session } = await test.session({ title: 'Rewrite the retry queue of the payments service' })
  if (status === 'waiting') await test.openAsk(agent, { title: 'one' })
  await using tab = await openPage(browser, test, { reducedMotion: true })
  const { page } = tab
  // As the gateway says it, which takes a terminal or an alarm.
  await page.routeWebSocket('**/api/stream*', (socket) => {
    const server = socket.connectToServer()
    server.onMessage((message) => {
      const said = status === 'may-wait' ? '"mayWait":true,' : status === 'frozen' ? '"frozen":true,' : ''
      socket.send(String(message).replaceAll(`"id":"${session.id}",`, `"id":"${session.id}",${said}`))
    })
  })
  await page.goto(`${test.api.url}/sessions/${session.id}`)
  const heading = page.getByRole('heading', { level: 1 })
  await heading.waitFor()
  if (status !== 'waiting')
    await page
      .getByText(status === 'frozen' ? 'frozen by an alarm' : 'may need an answer')
      .first()
      .waitFor()
  for (const [width, size] of WINDOWS) {
    await page.setViewportSize({ width, height: 700 })
    await page.evaluate(enlarge, size)
    expect.soft(await heading.evaluate(overlaps), `${width} px, letters of ${size} px`).toEqual([])
    if (width === 900) await screenshots(page, `narrow-${status}`)
  }
})

it('has a header whose parts do not overlap in a window of 640 to 1100 px', async () => {
  await using tab = await openPage(browser, busy, { reducedMotion: true })
  const { page } = tab
  const { waiting, asking, idle } = busy.sessions
  const sessions = [waiting, asking, idle].map((id) => `/sessions/${id}`)
  for (const path of ['/', ...sessions, '/sessions', '/new', '/devices', '/history', '/rules', '/settings']) {
    await page.evaluate((to) => history.pushState(null, '', to), path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 700 })
      expect
        .soft(await page.getByRole('heading', { level: 1 }).evaluate(overlaps), `${path} at ${width} px`)
        .toEqual([])
      if (width === 700 || width === 900) await screenshots(page, `narrow${path.replaceAll('/', '-').slice(0, 16)}`)
    }
  }
})

it('keeps the title and the buttons of a sheet in sight when a switch in it is pressed', async () => {
  await using tab = await openPage(browser, busy, { width: 390, path: '/settings', reducedMotion: true })
  const { page } = tab
  await page.getByRole('button', { name: 'Add a channel' }).click()
  const sheet = page.getByRole('dialog', { name: 'Add a channel' })
  await sheet.getByText('Quiet hours').click()
  await sheet.getByLabel('From').waitFor()
  await screenshots(page, 'quiet-hours')
  expect(await sheet.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
})

/** As a person who has set larger letters. Runs in the page. */
function enlarge(size: number) {
  document.documentElement.style.fontSize = `${size}px`
}

/** What is on the line of the heading and on another part of it, or beyond the window. Runs in the page. */
function overlaps(heading: Element): string[] {
  let row: Element = heading
  while (row.parentElement && row.parentElement.childElementCount < 2) row = row.parentElement
  // A session's title stands in a column of its own.
  for (let up = row.parentElement; up && up.localName !== 'main' && row.parentElement; up = up.parentElement) {
    if (up.localName === 'header') row = up.firstElementChild ?? row
  }
  const line = row.localName === 'h1' ? (row.parentElement ?? row) : row
  const boxes: { name: string; box: DOMRect }[] = []
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement
    if (!parent || !text.textContent?.trim() || !parent.checkVisibility() || parent.closest('dialog, .sr-only'))
      continue
    const range = document.createRange()
    range.selectNodeContents(text)
    // What is cut with an ellipsis is as wide as what cuts it.
    const cut = parent.closest('.truncate')?.getBoundingClientRect()
    const box = range.getBoundingClientRect()
    const right = cut ? Math.min(box.right, cut.right) : box.right
    boxes.push({ name: text.textContent.trim(), box: new DOMRect(box.left, box.top, right - box.left, box.height) })
  }
  const found: string[] = []
  for (const [at, one] of boxes.entries()) {
    if (one.box.right > innerWidth + 1) found.push(`${one.name} is cut by the window`)
    for (const other of boxes.slice(at + 1)) {
      const { left, right, top, bottom } = other.box
      const apart =
        one.box.right <= left + 1 || right <= one.box.left + 1 || one.box.bottom <= top + 1 || bottom <= one.box.top + 1
      if (!apart) found.push(`${one.name} / ${other.name}`)
    }
  }
  return found
}
