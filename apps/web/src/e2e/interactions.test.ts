import { press, scrollToEnd, settledPlace } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { focused } from '@holdpoint/testing/browser/focus'
import { type OpenPage, openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goToCase, pathOf, startGallery } from './gallery-page.ts'

// What the permission and turn-stream protocols say of their components, in a real browser, under the app's content security
// policy.

let browser: Browser
let test: TestGateway
/** One for all: nothing here is kept by the browser, and each case is drawn anew. */
let desk: OpenPage
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startGallery(), launchChromium()])
  desk = await openPage(browser, test, { clock: 'running', reducedMotion: true, path: pathOf('none') })
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

async function open(id: string) {
  const before = desk.problems().length
  await goToCase(desk.page, id)
  return {
    page: desk.page,
    async [Symbol.asyncDispose]() {
      expect(desk.problems().slice(before)).toEqual([])
    },
  }
}

/** On a page of its own, whose clock only `page.clock.runFor` moves: a slow machine changes nothing then. */
async function openStill(id: string) {
  const opened = await openPage(browser, test, { clock: 'still', reducedMotion: true, path: pathOf(id) })
  await opened.page.locator(`[data-case="${id}"]`).waitFor()
  return opened
}

const card = (page: Page) => page.locator('article[data-tool-call-id]')
const isIn = (shown: Locator, state: string) =>
  shown.and(shown.page().locator(`[data-state="${state}"]`)).waitFor({ timeout: 10_000 })
const submit = (shown: Locator) => shown.getByRole('button', { name: /^(Submit|Try again)$/ })
const act = (page: Page, name: string) =>
  page.locator(`[data-act="${name}"]`).evaluate((button: HTMLElement) => button.click())

async function sent(page: Page): Promise<unknown[]> {
  const texts = await page.getByRole('list', { name: 'Sent', exact: true }).getByRole('listitem').allTextContents()
  return texts.map((text) => JSON.parse(text))
}

describe('QuestionPrompt', () => {
  it('draws one question with radio buttons, its header as a chip, and Other with free text', async () => {
    await using gallery = await open('prompt-one--pending')
    const shown = card(gallery.page)
    expect(await shown.getByRole('radio').count()).toBe(4)
    expect(await shown.getByRole('checkbox').count()).toBe(0)
    await shown.getByText('Layout', { exact: true }).waitFor()
    await shown.getByText('Features as rows, plans as columns').waitFor()
    await shown.getByRole('radio', { name: 'Other…' }).check()
    expect(await focused(gallery.page)).toContain('Other: your own words')
  })

  it('draws several questions, with check boxes where several may be chosen, each with its own Other', async () => {
    await using gallery = await open('prompt-two--pending')
    const [first, second] = await card(gallery.page).locator('fieldset').all()
    expect(await first?.getByRole('radio').count()).toBe(4)
    expect(await second?.getByRole('checkbox').count()).toBe(5)
    for (const field of [first, second]) expect(await field?.getByText('Other…').count()).toBe(1)
  })

  it('cannot be submitted before every question has an answer', async () => {
    await using gallery = await open('prompt-two--pending')
    const shown = card(gallery.page)
    expect(await submit(shown).isDisabled()).toBe(true)
    await shown.getByRole('radio', { name: 'Comparison table' }).check()
    expect(await submit(shown).isDisabled()).toBe(true)
    await shown.getByRole('checkbox', { name: 'Other…' }).check()
    expect(await submit(shown).isDisabled()).toBe(true)
    await settledPlace(shown, submit(shown))
    await submit(shown).click({ force: true })
    expect(await sent(gallery.page)).toEqual([])
    await shown.getByRole('textbox').last().fill('CHF')
    expect(await submit(shown).isDisabled()).toBe(false)
  })

  it('submits answers by the place of their question, several as a JSON array, and shows what was taken', async () => {
    await using gallery = await open('prompt-two--pending')
    const { page } = gallery
    const shown = card(page)
    await shown.getByRole('radio', { name: 'Comparison table' }).check()
    for (const name of ['USD', 'EUR', 'Other…']) await shown.getByRole('checkbox', { name, exact: false }).check()
    await shown.getByRole('textbox').last().fill('Swiss francs')
    await press(shown, 'Submit')
    await isIn(shown, 'submitted')
    expect(await sent(page)).toEqual([
      [
        'submitAnswers',
        'ses_01kdzzzzzzgallery0000000001',
        'toolu_01gallery',
        { 0: 'Comparison table', 1: '["EUR","USD","Swiss francs"]' },
      ],
    ])
    const rows = await shown.getByRole('listitem').allInnerTexts()
    expect(rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'Layout Selected: “Comparison table”',
      'Currencies Selected: “EUR”, “USD”, “Swiss francs”',
    ])
    expect(await shown.getByRole('radio').count()).toBe(0)
    expect(await shown.getByRole('button').count()).toBe(0)
    // The keyboard is where it was.
    expect(await shown.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('[T26] cannot be submitted before the end of its questions was on screen', async () => {
    await using gallery = await open('prompt-long--pending')
    const shown = card(gallery.page)
    await shown.getByRole('radio', { name: 'The safe one' }).check()
    await settledPlace(shown, submit(shown))
    expect(await submit(shown).isDisabled()).toBe(true)
    expect(await shown.innerText()).toContain('Scroll to the end to answer')
    await submit(shown).click({ force: true })
    expect(await sent(gallery.page)).toEqual([])
    await scrollToEnd(shown.getByRole('group', { name: 'Questions' }))
    await press(shown, 'Submit')
    await isIn(shown, 'submitted')
  })

  it('sends free text for a single choice as it is', async () => {
    await using gallery = await open('prompt-one--pending')
    const shown = card(gallery.page)
    await shown.getByRole('radio', { name: 'Stacked list' }).check()
    await shown.getByRole('radio', { name: 'Other…' }).check()
    await shown.getByRole('textbox').fill('["none", "of these"]')
    await settledPlace(shown, submit(shown))
    await shown.getByRole('textbox').press('Control+Enter')
    await isIn(shown, 'submitted')
    expect(await sent(gallery.page)).toMatchObject([
      ['submitAnswers', expect.any(String), expect.any(String), { 0: '["none", "of these"]' }],
    ])
    expect(await shown.innerText()).toContain('“["none", "of these"]”')
  })

  it('is busy and cannot be changed while its answer is under way', async () => {
    await using gallery = await open('prompt-one--submitting')
    const shown = card(gallery.page)
    await shown.getByRole('radio', { name: 'Stacked list' }).check()
    await press(shown, 'Submit')
    await isIn(shown, 'submitting')
    expect(await submit(shown).getAttribute('aria-busy')).toBe('true')
    await shown.getByRole('radio', { name: 'Comparison table' }).click({ force: true })
    expect(await shown.getByRole('radio', { name: 'Stacked list' }).isChecked()).toBe(true)
    await submit(shown).click({ force: true })
    expect(await sent(gallery.page)).toHaveLength(1)
  })

  it('says that an answer did not get through, keeps what was chosen, and sends it again', async () => {
    await using gallery = await open('prompt-one--failing')
    const shown = card(gallery.page)
    await shown.getByRole('radio', { name: 'Stacked list' }).check()
    await press(shown, 'Submit')
    await shown.getByRole('alert').waitFor()
    expect(await shown.getByRole('alert').innerText()).toContain('cannot be reached')
    expect(await shown.getByRole('radio', { name: 'Stacked list' }).isChecked()).toBe(true)
    await press(shown, 'Try again')
    await isIn(shown, 'submitted')
    const [first, second] = await sent(gallery.page)
    expect(second).toEqual(first)
  })

  it('shows a refusal in the gateway’s words', async () => {
    await using gallery = await open('prompt-one--invalid')
    const shown = card(gallery.page)
    await shown.getByRole('radio').first().check()
    await press(shown, 'Submit')
    expect(await shown.getByRole('alert').innerText()).toBe('This answer does not fit the question.')
    await isIn(shown, 'pending')
  })

  it.each([
    ['prompt-one--too-late', 'Your answer came too late.'],
    ['prompt-one--gone', 'No longer waiting'],
  ])('ends when somebody else was first (%s)', async (id, words) => {
    await using gallery = await open(id)
    const shown = card(gallery.page)
    await shown.getByRole('radio').first().check()
    await press(shown, 'Submit')
    await isIn(shown, 'elsewhere')
    expect(await shown.innerText()).toContain(words)
  })

  it('ends when it was answered elsewhere, or its time was up elsewhere', async () => {
    for (const [name, state, words] of [
      ['answer', 'elsewhere', 'Answered elsewhere'],
      ['expire', 'timed-out', 'Timed out'],
    ] as const) {
      await using gallery = await open('prompt-one--pending')
      const shown = card(gallery.page)
      await shown.getByRole('radio').first().check()
      await act(gallery.page, name)
      await isIn(shown, state)
      expect(await shown.innerText()).toContain(words)
      expect(await sent(gallery.page)).toEqual([])
    }
  })

  it('keeps to its own answer when the event of it comes first', async () => {
    await using gallery = await open('prompt-one--pending')
    const shown = card(gallery.page)
    await shown.getByRole('radio', { name: 'Stacked list' }).check()
    await press(shown, 'Submit')
    await act(gallery.page, 'answer')
    await isIn(shown, 'submitted')
    expect(await shown.innerText()).toContain('“Stacked list”')
  })

  it('keeps what was taken when it is drawn anew', async () => {
    await using gallery = await open('prompt-one--pending')
    const shown = card(gallery.page)
    await shown.getByRole('radio', { name: 'Stacked list' }).check()
    await press(shown, 'Submit')
    await isIn(shown, 'submitted')
    await act(gallery.page, 'toggle')
    await shown.waitFor({ state: 'detached' })
    await act(gallery.page, 'toggle')
    await isIn(shown, 'submitted')
    expect(await shown.innerText()).toContain('“Stacked list”')
  })

  it('times out after ten minutes, and not before', async () => {
    await using gallery = await openStill('prompt-limit--pending')
    const { page } = gallery
    const shown = card(page)
    await shown.getByRole('radio').first().check()
    await page.clock.runFor(599_000)
    await shown.getByText(/^\d+ s left$/).waitFor()
    await isIn(shown, 'pending')
    await page.clock.runFor(2000)
    await isIn(shown, 'timed-out')
    expect(await shown.innerText()).toContain('Timed out')
    expect(await shown.getByRole('button').count()).toBe(0)
    expect(await sent(page)).toEqual([])
  })

  it('T29 sends nothing by a press in its first half second, nor by a script', async () => {
    await using gallery = await openStill('prompt-one--pending')
    const { page } = gallery
    const shown = card(page)
    await act(page, 'toggle')
    await shown.waitFor({ state: 'detached' })
    await act(page, 'toggle')
    await shown.getByRole('radio').first().check()
    await page.clock.runFor(450)
    await submit(shown).click()
    await page.clock.runFor(2000)
    await submit(shown).evaluate((button: HTMLElement) => button.click())
    expect(await sent(page)).toEqual([])
    await isIn(shown, 'pending')
    await submit(shown).click()
    await page.clock.runFor(1000)
    await isIn(shown, 'submitted')
  })

  it('T27 shows hostile text for what it is', async () => {
    await using gallery = await open('prompt-hostile--pending')
    const shown = card(gallery.page)
    expect(await shown.innerText()).toContain('⟨U+202E⟩')
    expect(await shown.locator('b').count()).toBe(0)
  })
})

describe('ToolApproval', () => {
  it.each([
    ['Approve', 'approveTool', 'Approved'],
    ['Deny', 'denyTool', 'Denied'],
  ])('%s calls %s and collapses to the decision', async (name, call, words) => {
    await using gallery = await open('tool-bash--pending')
    const shown = card(gallery.page)
    expect(await shown.innerText()).toContain('alter table jobs')
    await press(shown, name)
    await isIn(shown, 'submitted')
    expect(await sent(gallery.page)).toEqual([[call, 'ses_01kdzzzzzzgallery0000000001', 'toolu_01gallery']])
    expect(await shown.innerText()).toContain(words)
    expect(await shown.getByRole('button').count()).toBe(0)
  })

  it('T26 cannot be approved before all of its input was on screen', async () => {
    await using gallery = await open('tool-bash-long--pending')
    const shown = card(gallery.page)
    const approve = shown.getByRole('button', { name: 'Approve', exact: true })
    expect(await approve.isDisabled()).toBe(true)
    expect(await shown.getByRole('button', { name: 'Deny' }).isDisabled()).toBe(false)
    await shown.getByRole('group', { name: 'Command' }).evaluate((box) => box.scrollTo(0, box.scrollHeight))
    await shown.locator('[data-seen="true"]').waitFor()
    await press(shown, 'Approve')
    await isIn(shown, 'submitted')
  })

  it('shows every field of an input, and one that cannot be read as it came', async () => {
    await using gallery = await open('tool-mcp--pending')
    const text = await card(gallery.page).innerText()
    for (const word of ['mcp__tickets__create_issue', 'PAY', 'Retry storm', 'queue', 'urgent', '3']) {
      expect(text).toContain(word)
    }
    await using odd = await open('tool-odd-input--pending')
    expect(await card(odd.page).innerText()).toContain('not JSON at ⟨U+200B⟩all')
  })

  it('says that a decision did not get through, and takes it again', async () => {
    await using gallery = await open('tool-bash--failing')
    const shown = card(gallery.page)
    await press(shown, 'Approve')
    await shown.getByRole('alert').waitFor()
    await press(shown, 'Deny')
    await isIn(shown, 'submitted')
    expect((await sent(gallery.page)).map((call) => (call as string[])[0])).toEqual(['approveTool', 'denyTool'])
  })

  it('ends as settled elsewhere or as timed out', async () => {
    await using late = await open('tool-bash--too-late')
    await press(card(late.page), 'Approve')
    await isIn(card(late.page), 'elsewhere')
    await using expired = await open('tool-bash--timed-out')
    expect(await card(expired.page).innerText()).toContain('Timed out')
    await using denied = await open('tool-bash--elsewhere')
    expect(await card(denied.page).innerText()).toMatch(/Denied elsewhere.*Not on a Friday\./s)
  })
})

describe('useChatSession', () => {
  it('shows a question and an approval in their place, and goes on with the turn', async () => {
    await using gallery = await open('chat')
    const { page } = gallery
    await page.getByRole('button', { name: 'Send' }).click()
    const question = page.locator('[data-role="assistant"] [data-tool-call-id="toolu_ask"]')
    await question.getByRole('radio', { name: 'Stacked list' }).check()
    await press(question, 'Submit')
    await isIn(question, 'submitted')
    const approval = page.locator('[data-role="assistant"] [data-tool-call-id="toolu_run"]')
    await press(approval, 'Approve')
    await isIn(approval, 'submitted')
    await page.getByText('Built.').waitFor()
    await page.locator('[data-status="idle"]').waitFor()
    expect(await question.innerText()).toContain('“Stacked list”')
  })
})

describe('PermissionModal with usePermissions', () => {
  const modal = (page: Page) => page.getByRole('dialog', { name: 'Permission required' })
  const queue = (page: Page, length: number) => page.locator(`[data-queue="${length}"]`).waitFor()
  const answers = async (page: Page) =>
    (await page.getByRole('list', { name: 'Answers sent' }).getByRole('listitem').allTextContents()).map((text) =>
      JSON.parse(text),
    )

  it.each([
    ['Allow Once', { kind: 'allow' }],
    ['Deny', { kind: 'deny' }],
    ['Always Allow', { kind: 'allow', remember: { scope: 'session' } }],
  ])('%s answers what is shown, bound to its digest, and closes', async (name, answer) => {
    await using gallery = await open('permission-bash')
    const { page } = gallery
    await press(modal(page), name)
    await modal(page).waitFor({ state: 'hidden' })
    const [given, ...more] = await answers(page)
    expect(given).toMatchObject({ ...answer, bound: true, attempts: 3 })
    expect(given.remember).toEqual((answer as { remember?: object }).remember)
    expect(more).toEqual([])
  })

  it.each(['Escape', 'Close'])('%s denies as dismissed', async (how) => {
    await using gallery = await open('permission-bash')
    const { page } = gallery
    await settledPlace(modal(page), modal(page).getByRole('button', { name: 'Deny' }))
    if (how === 'Escape') await page.keyboard.press('Escape')
    else await modal(page).getByRole('button', { name: 'Close' }).click()
    await modal(page).waitFor({ state: 'hidden' })
    expect(await answers(page)).toMatchObject([{ kind: 'deny', message: 'Dismissed', bound: true }])
  })

  it('stays when somebody clicks beside it', async () => {
    await using gallery = await open('permission-bash')
    const { page } = gallery
    await settledPlace(modal(page), modal(page).getByRole('button', { name: 'Deny' }))
    await page.mouse.click(5, 5)
    expect(await modal(page).isVisible()).toBe(true)
    expect(await answers(page)).toEqual([])
  })

  it('shows one after another, plans among them and questions not, and lets go of the focus at the end', async () => {
    await using gallery = await open('permission-queue')
    const { page } = gallery
    await queue(page, 4)
    await modal(page).getByText('3 more wait').waitFor()
    for (const [left, words] of [
      [3, 'npm ci'],
      [2, 'npm test -- queue'],
      [1, 'Edit file'],
      [0, 'Retry queue rewrite'],
    ] as const) {
      await modal(page).getByText(words).first().waitFor()
      await press(modal(page), 'Allow Once')
      await queue(page, left)
    }
    await modal(page).waitFor({ state: 'hidden' })
    expect(await answers(page)).toMatchObject([{ command: 'npm ci' }, { command: 'npm test -- queue' }, {}, {}])
  })

  it('T30 does not take a press that was meant for the request before', async () => {
    await using gallery = await openStill('permission-queue')
    const { page } = gallery
    await modal(page).waitFor()
    await page.clock.runFor(2000)
    const box = await modal(page).getByRole('button', { name: 'Allow Once' }).boundingBox()
    if (!box) throw new Error('no button')
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    // Settled elsewhere under the finger: the next one takes its place.
    await act(page, 'withdraw')
    await modal(page).getByText('npm test -- queue').first().waitFor()
    await page.clock.runFor(450)
    await page.mouse.up()
    await page.mouse.click(x, y)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    // The browser closes it at a second Escape in a row, whatever it is told: then it comes back.
    await modal(page).waitFor()
    expect(await answers(page)).toEqual([])
    await queue(page, 3)
    await page.clock.runFor(2000)
    await page.mouse.click(x, y)
    await page.clock.runFor(1000)
    await queue(page, 2)
  })

  it('offers to retry when the gateway cannot be reached', async () => {
    await using gallery = await open('permission-unreachable')
    const { page } = gallery
    await press(modal(page), 'Always Allow')
    await modal(page).getByRole('alert').waitFor()
    await queue(page, 2)
    await press(modal(page), 'Retry')
    await page.locator('[data-answers="2"]').waitFor()
    const [first, second] = await answers(page)
    expect(second).toEqual(first)
    expect(first).toMatchObject({ command: 'npm ci', kind: 'allow', remember: { scope: 'session' } })
  })

  it('goes on to the next when somebody else was first', async () => {
    await using gallery = await open('permission-lost-race')
    const { page } = gallery
    await press(modal(page), 'Allow Once')
    await queue(page, 1)
    await modal(page).getByText('npm test').first().waitFor()
  })

  it('asks twice where the agent wants a no first, and offers nothing to remember', async () => {
    await using gallery = await open('permission-bash-default-no')
    const { page } = gallery
    expect(await modal(page).getByRole('button', { name: 'Always Allow' }).count()).toBe(0)
    await press(modal(page), 'Allow Once…')
    expect(await answers(page)).toEqual([])
    await press(modal(page), 'Allow Once')
    await modal(page).waitFor({ state: 'hidden' })
    expect(await answers(page)).toMatchObject([{ kind: 'allow' }])
  })

  it('T26 allows nothing before its end was on screen', async () => {
    await using gallery = await open('permission-bash-long')
    const { page } = gallery
    for (const name of ['Allow Once', 'Always Allow']) {
      expect(await modal(page).getByRole('button', { name }).isDisabled()).toBe(true)
    }
    expect(await modal(page).getByRole('button', { name: 'Deny' }).isDisabled()).toBe(false)
  })

  it.each([
    ['permission-edit', ['Edit file:', 'src/queue/backoff.ts', '2 ** attempt', 'migrate-tables']],
    ['permission-bash', ['Run command', 'alter table jobs']],
    ['permission-write', ['Write file:', 'data/rates.json', '1.09']],
    ['permission-web-fetch', ['docs.example', 'Summarise the limits.']],
    ['permission-mcp', ['mcp__tickets__create_issue', 'Retry storm', 'PAY']],
    ['permission-plan', ['Go on with the plan', 'exponential back-off']],
  ])('PermissionContext of %s shows what it would do', async (id, words) => {
    await using gallery = await open(id)
    const text = await modal(gallery.page).innerText()
    for (const word of words) expect(text).toContain(word)
  })
})

/** What each picture needs before it is taken. */
const PICTURES: readonly { readonly id: string; readonly name?: string; before?(page: Page): Promise<void> }[] = [
  { id: 'prompt-two--pending' },
  {
    id: 'prompt-two--pending',
    name: 'chosen',
    async before(page) {
      await card(page).getByRole('radio', { name: 'Comparison table' }).check()
      await card(page).getByRole('checkbox').last().check()
      await card(page).getByRole('textbox').last().fill('Swiss francs, as the contract says')
    },
  },
  {
    id: 'prompt-two--pending',
    name: 'submitted',
    async before(page) {
      await card(page).getByRole('radio', { name: 'Comparison table' }).check()
      for (const name of ['EUR', 'USD']) await card(page).getByRole('checkbox', { name }).check()
      await scrollToEnd(card(page).getByRole('group', { name: 'Questions' }))
      await press(card(page), 'Submit')
      await isIn(card(page), 'submitted')
    },
  },
  {
    id: 'prompt-one--failing',
    async before(page) {
      await card(page).getByRole('radio').first().check()
      await press(card(page), 'Submit')
      await card(page).getByRole('alert').waitFor()
    },
  },
  {
    id: 'prompt-one--submitting',
    async before(page) {
      await card(page).getByRole('radio').first().check()
      await press(card(page), 'Submit')
    },
  },
  { id: 'prompt-limit--pending' },
  { id: 'prompt-long--pending' },
  { id: 'prompt-hostile--pending' },
  { id: 'prompt-two--timed-out' },
  { id: 'prompt-two--elsewhere' },
  { id: 'prompt-one--withdrawn' },
  { id: 'tool-bash--pending' },
  { id: 'tool-bash-long--pending' },
  { id: 'tool-bash-bidi--pending' },
  { id: 'tool-write--pending' },
  { id: 'tool-mcp--pending' },
  { id: 'tool-odd-input--pending' },
  { id: 'tool-bash--pending', name: 'approved', before: (page) => press(card(page), 'Approve') },
  { id: 'tool-bash--pending', name: 'denied', before: (page) => press(card(page), 'Deny') },
  { id: 'tool-bash--timed-out' },
  { id: 'tool-bash--elsewhere' },
  { id: 'permission-bash' },
  { id: 'permission-bash-long' },
  { id: 'permission-bash-default-no' },
  { id: 'permission-edit' },
  { id: 'permission-write' },
  { id: 'permission-web-fetch' },
  { id: 'permission-mcp' },
  { id: 'permission-plan' },
  { id: 'permission-queue' },
  {
    id: 'permission-unreachable',
    async before(page) {
      await press(page.getByRole('dialog'), 'Allow Once')
      await page.getByRole('alert').waitFor()
    },
  },
]

describe.each([390, 1440] as const)('at %i px', (width) => {
  const look = width === 390 ? findingsInBothThemes : findingsOfWidth
  it('every component is in order in every state', { timeout: TIMEOUT_MS * 2 }, async () => {
    // What is narrow breaks first; the wide page has every third of them, unless there is time for all.
    const pictures = width === 390 || LONG ? PICTURES : PICTURES.filter((_, place) => place % 3 === 0)
    report(`components: ${pictures.length} of ${PICTURES.length} states at ${width} px`)
    await using gallery = await openPage(browser, test, {
      width,
      clock: 'running',
      reducedMotion: true,
      path: pathOf('none'),
    })
    const { page } = gallery
    for (const { id, name, before } of pictures) {
      await goToCase(page, id)
      await before?.(page)
      const title = name === undefined ? id : `${id}-${name}`
      expect.soft(await look(page), title).toEqual([])
      await screenshots(page, `interactions/${title}`, id.startsWith('permission') ? 'dialog[open]' : 'body')
    }
  })
})
