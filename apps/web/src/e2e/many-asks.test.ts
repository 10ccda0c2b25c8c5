import type { Ask } from '@holdpoint/schema/ask'
import { armed, press, settledPlace } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { focused, tabStops } from '@holdpoint/testing/browser/focus'
import { type OpenPage, openPage } from '@holdpoint/testing/browser/open-page'
import { letPass } from '@holdpoint/testing/browser/page-clock'
import { CURRENCIES, command } from '@holdpoint/testing/browser/populated-gateway'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { startWallOfAsks, type WallOfAsks } from '@holdpoint/testing/browser/wall-of-asks'
import { TIMEOUT_MS } from '@holdpoint/testing/long'
import { until } from '@holdpoint/testing/until'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const lines = (page: Page) => page.getByRole('list', { name: 'Asks' })
const line = (page: Page, { id }: Ask) => lines(page).locator(`[data-ask-id="${id}"]`)
const box = (page: Page, { context }: Ask) => page.getByRole('checkbox', { name: `Select Bash ${context.command}` })
const bar = (page: Page) => page.getByRole('group', { name: 'Answer the selected asks' })
const outcomeOf = async (wall: WallOfAsks, { id }: Ask) => (await wall.api.ok<Ask>('GET', `/api/asks/${id}`)).outcome
const isOff = async (button: Locator) => (await button.getAttribute('aria-disabled')) === 'true'
const expectFocus = (page: Page) => expect.poll(() => focused(page), { timeout: 10_000, interval: 20 })

/** Goes over to one line for each ask. */
async function toLines(page: Page, count: number): Promise<void> {
  await page.getByRole('button', { name: 'Show one line for each ask' }).click()
  await until(async () => (await lines(page).getByRole('listitem').count()) === count, 'all lines')
}

/** Turns over all that the dialog holds, as somebody who reads it does. */
async function readAll(dialog: Locator): Promise<void> {
  for (const call of await dialog.getByRole('list', { name: 'To allow' }).getByRole('listitem').all()) {
    await call.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    await dialog.page().evaluate(() => new Promise(requestAnimationFrame))
  }
}

describe.each([1440, 390] as const)('a wall of 32 asks at %i px', (width) => {
  let wall: WallOfAsks
  let tab: OpenPage
  let page: Page
  const asked = (part: string) => {
    const found = wall.raised.find(({ ask }) => ask.context.command?.startsWith(part) && !ask.flags.defaultToNo)
    if (!found) throw new Error(`nothing asks for ${part}`)
    return found
  }
  beforeAll(async () => {
    wall = await startWallOfAsks()
    tab = await openPage(browser, wall, { width, reducedMotion: true, expected: [/status of 409/] })
    page = tab.page
    page.setDefaultTimeout(8000)
    await page.getByRole('heading', { name: '32 need an answer' }).waitFor()
  })
  afterAll(async () => {
    await tab[Symbol.asyncDispose]()
    await wall[Symbol.asyncDispose]()
  })
  const look = width === 390 ? findingsInBothThemes : findingsOfWidth

  it('can be seen as lines, each opens in place, and the browser remembers it', { timeout: TIMEOUT_MS }, async () => {
    await until(async () => (await page.locator('article[data-ask-id]').count()) === 32, 'all cards')
    const tall = await page.locator('main').evaluate((main) => main.scrollHeight)
    expect.soft(await look(page), 'cards').toEqual([])
    await toLines(page, 32)
    const height = await page.locator('main').evaluate((main) => main.scrollHeight)
    expect(height).toBeLessThan(tall / 5)
    expect.soft(await look(page), 'lines').toEqual([])
    await screenshots(page, 'many-asks/lines')
    const stops = await tabStops(page)
    expect.soft(stops.filter(({ faults }) => faults.length > 0)).toEqual([])

    await page.reload()
    // The card of the last line would open below the edge of the window.
    const last = lines(page).getByRole('listitem').last()
    await last.getByRole('button').click()
    await expect.poll(() => last.locator('article').evaluate(shareInSight)).toBeGreaterThan(0.9)
    await page.keyboard.press('Escape')
    const first = asked('npm ci')
    await line(page, first.ask).click()
    const card = page.locator(`article[data-ask-id="${first.ask.id}"]`)
    await press(card, 'Allow once')
    expect(await first.outcome).toMatchObject({ kind: 'allowed' })
    await page.getByRole('heading', { name: '31 need an answer' }).waitFor()
  })

  it('is narrowed down by words, tool and session; what is hidden is counted, and nothing moves', async () => {
    await page.getByLabel('Filter by words').fill('-- queue')
    const status = page.getByRole('status').filter({ hasText: 'shown' })
    await until(async () => (await lines(page).getByRole('listitem').count()) < 8, 'the lines that match')
    const { ask } = asked('npm test')
    const before = await line(page, ask).boundingBox()
    const count = (await lines(page).getByRole('listitem').count()) as number
    await expect.poll(() => status.textContent()).toContain(`${31 - count} more asks hidden by the filter`)

    // One that the filter hides is counted, and one that passes comes last.
    await wall.raise(0, command('cargo build'))
    await expect.poll(() => status.textContent()).toContain(`${32 - count} more asks hidden by the filter`)
    const later = await wall.raise(1, command('npm test -- queue later'))
    await line(page, later.ask).waitFor()
    expect(await line(page, ask).boundingBox()).toEqual(before)
    expect(await lines(page).getByRole('listitem').last().textContent()).toContain('npm test -- queue later')
    expect.soft(await look(page), 'filtered').toEqual([])
    await screenshots(page, 'many-asks/filtered')

    await page.getByRole('button', { name: 'Show all' }).click()
    await until(async () => (await lines(page).getByRole('listitem').count()) > 30, 'all lines')
    if (width === 390) await page.getByRole('button', { name: /^More/ }).first().click()
    await page.getByLabel('Kind', { exact: true }).selectOption('question')
    await until(async () => (await lines(page).getByRole('listitem').count()) === 3, 'the questions')
    await page.getByLabel('Kind', { exact: true }).selectOption('')
    await page.getByLabel('Tool', { exact: true }).selectOption('Edit')
    await page.getByLabel('Session', { exact: true }).selectOption({ label: 'Translate the handbook' })
    await until(async () => (await lines(page).getByRole('listitem').count()) === 3, 'the edits of one session')
    await page.getByLabel('Filter by words').fill('no such thing')
    await page.getByText('No ask matches the filter.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
  })

  it('puts the newest first, and later ones on top only when the person wants them', async () => {
    await page.getByLabel('Order').selectOption('newest')
    const first = lines(page).getByRole('listitem').first()
    await expect.poll(() => first.textContent()).toContain('npm test -- queue later')
    const newest = await wall.raise(2, command('npm run newest'))
    const button = page.getByRole('button', { name: 'Show newer' })
    await button.waitFor()
    expect(await first.textContent()).toContain('npm test -- queue later')
    await button.click()
    await expect.poll(() => first.textContent()).toContain('npm run newest')
    await press(await openLine(newest.ask), 'Allow once')
    await newest.outcome
    await page.getByLabel('Order').selectOption('session')
  })

  async function openLine(ask: Ask): Promise<Locator> {
    await line(page, ask).click()
    return page.locator(`article[data-ask-id="${ask.id}"]`)
  }

  it('[T31] are allowed together over sessions: one tool, all of it seen, none that defaults to No', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const answered: { id: string; digest: string }[] = []
    page.on('request', (request) => {
      const [, id] = /asks\/([^/]+)\/answer$/.exec(request.url()) ?? []
      if (id) answered.push({ id, ...(request.postDataJSON() as { digest: string }) })
    })
    await page.getByRole('checkbox', { name: /^Select \d+ of \d+/ }).check()
    await bar(page).getByText('Only calls of one tool can be allowed together').waitFor()
    await bar(page).getByText('3 left out: marked as high risk (default: No)').waitFor()
    expect(await isOff(bar(page).getByRole('button', { name: /^Allow/ }))).toBe(true)
    expect.soft(await look(page, '[aria-label="Answer the selected asks"]'), 'of two tools').toEqual([])
    await screenshots(page, 'many-asks/two-tools')
    await bar(page)
      .getByRole('button', { name: /^only Bash/ })
      .click()
    await bar(page).getByText('3 left out: marked as high risk (default: No)').waitFor()
    expect.soft(await look(page, '[aria-label="Answer the selected asks"]'), 'selected').toEqual([])
    await screenshots(page, 'many-asks/selected')
    // It came after the selection: it is not part of it.
    const late = await wall.raise(3, command('npm run late'))
    await line(page, late.ask).waitFor()
    await bar(page)
      .getByRole('button', { name: /^Allow/ })
      .click()

    const dialog = page.getByRole('dialog', { name: /^Allow \d+ Bash calls\?/ })
    const allow = dialog.getByRole('button', { name: /^Allow/ })
    await dialog.getByText(/not seen yet/).waitFor()
    expect(await isOff(allow)).toBe(true)
    await allow.click({ force: true })
    expect.soft(await look(page, 'dialog'), 'dialog').toEqual([])
    await screenshots(page, 'many-asks/allow', 'dialog')
    // Somebody else answers one of them meanwhile.
    const taken = asked('git status')
    await wall.api.answer(taken.ask, { kind: 'deny' })
    await readAll(dialog)
    await dialog.getByText(/1 of \d+ is settled/).waitFor()
    const wanted = wall.raised.filter(
      ({ ask }) => ask.tool?.name === 'Bash' && !ask.flags.defaultToNo && ask.id !== late.ask.id,
    )
    expect(answered).toEqual([])
    await settledPlace(dialog, allow)
    await allow.click()
    await dialog.waitFor({ state: 'detached' })
    const outcomes = await Promise.all(wanted.map(({ ask }) => outcomeOf(wall, ask)))
    expect(outcomes.filter((outcome) => outcome?.kind === 'allowed')).toHaveLength(wanted.length - 1)
    expect(await outcomeOf(wall, taken.ask)).toMatchObject({ kind: 'denied' })
    expect(await outcomeOf(wall, late.ask)).toBeUndefined()
    const digests = new Map(wall.raised.map(({ ask }) => [ask.id as string, ask.digest]))
    expect(answered.map(({ digest }) => digest)).toEqual(answered.map(({ id }) => digests.get(id)))
    for (const { ask } of wall.raised.filter(({ ask: each }) => each.flags.defaultToNo)) {
      expect(await outcomeOf(wall, ask)).toBeUndefined()
    }
  })

  it('says beside its ask what has failed, and denies several with one reason', { timeout: TIMEOUT_MS }, async () => {
    await bar(page).getByRole('button', { name: 'Clear' }).click()
    const raised = [await wall.raise(4, command('make one')), await wall.raise(5, command('make two'))]
    for (const { ask } of raised) await box(page, ask).check()
    const [one, two] = raised
    if (!one || !two) throw new Error('nothing was raised')
    await page.route(`**/api/asks/${two.ask.id}/answer`, async (route) => {
      const body = route.request().postDataJSON() as object
      await route.continue({ postData: JSON.stringify({ ...body, digest: 'f'.repeat(64) }) })
    })
    await bar(page).getByRole('button', { name: /^Deny/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Deny 2 asks?' })
    await expectFocus(page).toMatch(/^textarea Why not/)
    await page.keyboard.type('not today')
    expect.soft(await look(page, 'dialog'), 'deny').toEqual([])
    await screenshots(page, 'many-asks/deny', 'dialog')
    await settledPlace(dialog, dialog.getByRole('button', { name: 'Deny 2' }))
    await dialog.getByRole('button', { name: 'Deny 2' }).click()
    expect(await one.outcome).toMatchObject({ kind: 'denied', answer: { message: 'not today' } })
    await dialog.getByRole('listitem').filter({ hasText: 'make two' }).getByRole('alert').waitFor()
    expect(await dialog.getByRole('listitem').filter({ hasText: 'make one' }).textContent()).toContain('Denied')
    await page.unroute(`**/api/asks/${two.ask.id}/answer`)
    const again = dialog.getByRole('button', { name: 'Deny 1' })
    await settledPlace(dialog, again)
    await again.click()
    expect(await two.outcome).toMatchObject({ kind: 'denied', answer: { message: 'not today' } })
    await dialog.waitFor({ state: 'detached' })
  })
})

it('[T29] a batch is not answered within its first half second, and every step works by keys alone', {
  timeout: TIMEOUT_MS,
}, async () => {
  await using wall = await startWallOfAsks({ asks: 0, sessions: 2 })
  const first = await wall.raise(0, command('npm run first'))
  const second = await wall.raise(1, command('npm run second'))
  const other = await wall.raise(0, command('git gc'))
  await using tab = await openPage(browser, wall, { clock: 'still', reducedMotion: true })
  const { page } = tab
  const pass = async (ms: number) => letPass(page, ms)
  const keys = async (...all: string[]) => {
    for (const key of all) {
      await page.keyboard.press(key)
      await pass(100)
    }
  }
  const answered: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/answer')) answered.push(request.url())
  })
  await until(async () => {
    await pass(50)
    return (await page.locator('article[data-ask-id]').count()) === 3
  }, 'the cards')

  await keys('v', '/')
  await expectFocus(page).toBe('input Filter by words')
  await page.keyboard.type('npm')
  await pass(100)
  await until(async () => (await lines(page).getByRole('listitem').count()) === 2, 'the lines that match')
  await keys('Escape')
  await expectFocus(page).toMatch(/npm run first/)
  await keys('x', 'j', 'x')
  expect(await bar(page).textContent()).toContain('2 selected')
  await keys('x', 'Shift+X', 'Shift+A')
  const dialog = page.getByRole('dialog', { name: 'Allow 2 Bash calls?' })
  await dialog.waitFor()
  await expectFocus(page).toMatch(/^ol/)
  await page.keyboard.press('Control+Enter')
  await pass(200)
  await page.keyboard.press('Control+Enter')
  expect(answered).toEqual([])
  await pass(1000)
  expect(await isOff(dialog.getByRole('button', { name: 'Allow 2' }))).toBe(false)
  await page.keyboard.press('Control+Enter')
  expect(await first.outcome).toMatchObject({ kind: 'allowed' })
  expect(await second.outcome).toMatchObject({ kind: 'allowed' })
  await until(async () => {
    await pass(50)
    return (await page.getByRole('dialog').count()) === 0
  }, 'the end of the dialog')

  // Back to all of them; the keys of a card open its line, and then they decide.
  await keys('Escape')
  await until(async () => (await line(page, other.ask).count()) === 1, 'the line that was hidden')
  await line(page, other.ask).focus()
  await keys('a')
  const card = page.locator(`article[data-ask-id="${other.ask.id}"]`)
  await expectFocus(page).toMatch(/^article/)
  expect(answered).toHaveLength(2)
  await armed(card)
  await keys('a')
  expect(await other.outcome).toMatchObject({ kind: 'allowed' })
})

/** Runs in the page: how much of the element is in sight, of what there is room for. */
function shareInSight(element: Element): number {
  const box = element.getBoundingClientRect()
  const room = (element.closest('main') ?? document.body).getBoundingClientRect()
  const seen = Math.min(box.bottom, room.bottom) - Math.max(box.top, room.top)
  return seen / Math.min(box.height, room.height * 0.8)
}

it('says why a key does nothing, and a press without the focus on a card never leads to an answer', {
  timeout: TIMEOUT_MS,
}, async () => {
  await using wall = await startWallOfAsks({ asks: 0, sessions: 1 })
  const first = await wall.raise(0, command('npm run first'))
  const asking = await wall.raise(0, CURRENCIES)
  await using tab = await openPage(browser, wall, { reducedMotion: true })
  const { page } = tab
  const card = ({ id }: Ask) => page.locator(`article[data-ask-id="${id}"]`)
  const note = page.locator('main').getByRole('status').filter({ hasText: /./ })
  const expectNote = () => expect.poll(async () => (await note.allTextContents()).join())
  await armed(card(first.ask))

  const outside = await focused(page)
  for (const key of ['a', 'a', 'd', 'd', 'e', 'r', '1', 'x']) {
    await page.keyboard.press(key)
    await expectNote().toBe('No card has the focus. Press j to go to the first one.')
    expect(await focused(page), key).toBe(outside)
  }
  expect(await outcomeOf(wall, first.ask)).toBeUndefined()
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    expect.soft(await findingsInBothThemes(page), `${width} px`).toEqual([])
    await screenshots(page, 'many-asks/no-focus')
  }

  await page.keyboard.press('j')
  await expectNote().toBe('')
  await page.keyboard.press('x')
  await expectNote().toBe('This is the only call that could be selected.')
  await page.keyboard.press('j')
  await expectFocus(page).toMatch(/Currency|Question/)
  await page.keyboard.press('x')
  await expectNote().toBe('A question cannot be selected. Answer it on its card.')
  await page.keyboard.press('Shift+X')
  await expectNote().toBe('There are no calls to select together.')
  expect(await outcomeOf(wall, asking.ask)).toBeUndefined()
})

it('gives the focus to the No of a card that opens on No only where it is in sight', async () => {
  await using wall = await startWallOfAsks({ asks: 0, sessions: 1 })
  for (let number = 0; number < 6; number++) await wall.raise(0, command(`npm run step-${number}`))
  const flags = { defaultToNo: true, noRemember: true }
  const { ask } = await wall.raise(0, { ...command('git push --force'), flags })
  await using tab = await openPage(browser, wall, { reducedMotion: true })
  const { page } = tab
  await page.locator(`article[data-ask-id="${ask.id}"]`).waitFor({ state: 'attached' })
  expect(await focused(page)).toBe('nothing')
  await page.keyboard.press('d')
  await page.getByText('No card has the focus. Press j to go to the first one.').waitFor()
  await page.goto(`${wall.api.url}/asks/${ask.id}`)
  await expectFocus(page).toBe('button Deny…')
})

it.each([
  ['one ask', 'no-focus-alone', ({ id }: Ask) => `/asks/${id}`],
  ['a session', 'no-focus-in-session', ({ sessionId }: Ask) => `/sessions/${sessionId}`],
] as const)('says why a key does nothing on the page of %s, too', async (_, picture, pathOf) => {
  await using wall = await startWallOfAsks({ asks: 0, sessions: 1 })
  const { ask } = await wall.raise(0, command('npm run first'))
  await using tab = await openPage(browser, wall, { reducedMotion: true, path: pathOf(ask) })
  const { page } = tab
  await armed(page.locator(`article[data-ask-id="${ask.id}"]`))
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  const note = page.getByRole('status').getByText('The card does not have the focus. Press j to go to it.')
  for (const key of ['a', '1']) {
    await page.keyboard.press(key)
    await note.waitFor()
    expect(await focused(page), key).toBe('nothing')
  }
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 })
    expect.soft(await findingsInBothThemes(page), `${width} px`).toEqual([])
    await screenshots(page, `many-asks/${picture}`)
  }
  await page.keyboard.press('j')
  await expect.poll(() => note.count()).toBe(0)
  expect(await outcomeOf(wall, ask)).toBeUndefined()
})
