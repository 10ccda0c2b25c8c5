import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { armed, cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { type OpenPage, openPage } from '@holdpoint/testing/browser/open-page'
import { letPass } from '@holdpoint/testing/browser/page-clock'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

/** Every letter and digit that is a key of some card, or of the app. */
const LETTERS = 'a task: jar 1 day and a keg, 2 red decks near'
const QUESTION: Partial<AskRequest> = {
  kind: 'question',
  title: 'A question',
  tool: { name: 'AskUserQuestion', input: {} },
  questions: [{ question: 'Delete it all?', options: [{ label: 'Yes' }, { label: 'No' }], multiSelect: false }],
}

let browser: Browser
let test: TestGateway
/** One for all: each test has a session of its own. */
let tab: OpenPage
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
  tab = await openPage(browser, test, { clock: 'running', expected: [/status of 422/] })
})
afterEach(async () => {
  await tab.page.unrouteAll()
  expect(tab.problems()).toEqual([])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

function bash(command: string): Partial<AskRequest> {
  return { tool: { name: 'Bash', input: { command } }, title: 'Bash', context: { cwd: '/work', command } }
}

const messageBox = (page: Page) => page.getByRole('textbox', { name: 'Message to the agent' })
const showButton = (page: Page) => page.getByRole('button', { name: /needs? an answer: show/ })

const focusedAsk = (page: Page) => page.evaluate(() => (document.activeElement as HTMLElement).dataset.askId)

/** Types for longer than the wait before a card is armed. */
async function typeOn(page: Page) {
  for (const letter of LETTERS) {
    await page.keyboard.type(letter)
    await letPass(page, 30)
  }
}

async function expectOpen({ id }: Ask) {
  const { outcome } = await test.api.ok<Ask>('GET', `/api/asks/${id}`)
  expect(outcome).toBeUndefined()
}

/** As a link does: without a new page, which is what takes the time. */
async function goTo(path: string): Promise<Page> {
  await tab.page.evaluate((to) => history.pushState(null, '', to), path)
  return tab.page
}

let count = 0

async function startWriting() {
  const title = `Writing, test ${++count}`
  const { agent, session } = await test.session({ title })
  const page = await goTo(`/sessions/${session.id}`)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await messageBox(page).click()
  return { agent, page }
}

describe('somebody who writes to the agent', () => {
  it.each([
    ['an approval', bash('rm -rf work')],
    ['a question', QUESTION],
  ])('goes on writing when %s comes, and decides nothing', async (_, request) => {
    const { agent, page } = await startWriting()
    await page.keyboard.type('first ')
    const { ask } = await test.openAsk(agent, request)
    await showButton(page).waitFor()
    await typeOn(page)
    expect(await messageBox(page).inputValue()).toBe(`first ${LETTERS}`)
    await expectOpen(ask)
    await showButton(page).click()
    await cardOf(page, ask.id).waitFor()
    await until(async () => (await focusedAsk(page)) === ask.id, 'the card to have the focus')
    await page.getByRole('button', { name: 'Write a message instead' }).click()
    expect(await messageBox(page).inputValue()).toBe(`first ${LETTERS}`)
  })

  it('sees the ask at once after a message was sent, and decides nothing by typing on', async () => {
    const { agent, page } = await startWriting()
    await page.keyboard.type('go on')
    await page.keyboard.press('Enter')
    await until(() => agent.messages.length === 1, 'the message')
    const { ask } = await test.openAsk(agent, bash('rm -rf work'))
    await cardOf(page, ask.id).getByRole('button', { name: 'Allow once' }).waitFor()
    await typeOn(page)
    await expectOpen(ask)
  })

  it('sees the ask that comes before the reply to the message, as soon as that is there', async () => {
    const { agent, page } = await startWriting()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/messages', async (route) => {
      const response = await route.fetch()
      await released
      await route.fulfill({ response })
    })
    await page.keyboard.type('go on')
    await page.keyboard.press('Enter')
    await until(() => agent.messages.length === 1, 'the message')
    const { ask } = await test.openAsk(agent, bash('rm -rf work'))
    await showButton(page).waitFor()
    release()
    await cardOf(page, ask.id).getByRole('button', { name: 'Allow once' }).waitFor()
    await typeOn(page)
    await expectOpen(ask)
  })

  it('keeps an empty box that has the focus, and an attachment without it', async () => {
    const { agent, page } = await startWriting()
    const first = await test.openAsk(agent, bash('echo 1'))
    await showButton(page).waitFor()
    await test.gateway.broker.withdraw(first.ask.id, 'agent-cancelled')
    await showButton(page).waitFor({ state: 'detached' })
    const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }
    await page.locator('input[type=file]').setInputFiles(note)
    await page.getByText('note.txt').waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    await test.openAsk(agent, bash('echo 2'))
    await showButton(page).click()
    await page.getByRole('button', { name: 'Write a message instead' }).click()
    await page.getByText('note.txt').waitFor()
  })

  it('keeps what is written while a message is on its way, and gets it back when it is refused', async () => {
    const { agent, page } = await startWriting()
    let refuse = false
    let release = () => {}
    await page.route('**/messages', async (route) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      if (refuse)
        await route.fulfill({ status: 422, json: { error: { code: 'invalid_request', message: 'Refused.' } } })
      else await route.continue()
    })
    const send = async (text: string) => {
      const asked = page.waitForRequest('**/messages')
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      await asked
      await until(async () => (await messageBox(page).inputValue()) === '', 'the box to be empty')
    }
    await send('first')
    await page.keyboard.type('second')
    const { ask } = await test.openAsk(agent, bash('echo while sending'))
    await showButton(page).waitFor()
    expect(await messageBox(page).inputValue()).toBe('second')
    release()
    await until(() => agent.messages.some(({ text }) => text === 'first'), 'the message')
    await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
    expect(await messageBox(page).inputValue()).toBe('second')

    await messageBox(page).fill('')
    refuse = true
    await until(async () => (await page.locator('[aria-busy=true]').count()) === 0, 'the sending to end')
    await send('third')
    await page.keyboard.type('fourth')
    release()
    await page.getByText('Refused.').waitFor()
    await until(async () => (await messageBox(page).inputValue()) === 'third\nfourth', 'both to be in the box')
    expect(agent.messages.map(({ text }) => text)).toEqual(['first'])
  })
})

describe('somebody who writes on a card', () => {
  it.each([
    { from: 'a session', at: (id: string) => `/sessions/${id}` },
    { from: 'the inbox', at: () => '/' },
  ])('decides no other one from $from when it is settled elsewhere, and is told', async ({ at }) => {
    const { agent, session } = await test.session()
    const { ask: first } = await test.openAsk(agent, bash('echo first'))
    const { ask: second } = await test.openAsk(agent, bash('rm -rf second'))
    const page = await goTo(at(session.id))
    const card = cardOf(page, first.id)
    await press(card, 'Deny…')
    await page.keyboard.type('no, use ')
    expect((await test.api.answer(first, { kind: 'deny' })).status).toBe(200)
    await card.getByText('What you were writing here was not sent.').waitFor()
    await cardOf(page, second.id).waitFor()
    await typeOn(page)
    await expectOpen(second)
    expect(new URL(page.url()).pathname).toBe(at(session.id))
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await until(async () => (await focusedAsk(page)) === second.id, 'the keys to act again')
  })

  it('finds it again after the next ask and after the message box', async () => {
    const { agent, session } = await test.session()
    const { ask: first } = await test.openAsk(agent, bash('echo first'))
    const { ask: second } = await test.openAsk(agent, QUESTION)
    const page = await goTo(`/sessions/${session.id}`)
    await press(cardOf(page, first.id), 'Deny…')
    await page.keyboard.type('a reason')
    await page.getByRole('button', { name: 'Next ask' }).click()
    const other = cardOf(page, second.id).getByRole('textbox')
    await cardOf(page, second.id).getByRole('radio', { name: 'Other…' }).check()
    await other.fill('my own words')
    await page.getByRole('button', { name: 'Previous ask' }).click()
    const reason = cardOf(page, first.id).getByRole('textbox')
    expect(await reason.inputValue()).toBe('a reason')
    await page.getByRole('button', { name: 'Write a message instead' }).click()
    expect(await reason.isVisible()).toBe(false)
    await showButton(page).click()
    expect(await reason.inputValue()).toBe('a reason')
    await page.getByRole('button', { name: 'Next ask' }).click()
    expect(await other.inputValue()).toBe('my own words')
  })

  it('arms a card anew that comes out of hiding (T29)', async () => {
    const { agent, session } = await test.session()
    const { ask: first } = await test.openAsk(agent, bash('echo first'))
    await test.openAsk(agent, bash('echo second'))
    const page = await goTo(`/sessions/${session.id}`)
    await cardOf(page, first.id).locator('[data-armed="true"]').waitFor()
    const changes = await cardOf(page, first.id)
      .locator('[data-armed]')
      .evaluateHandle((area) => {
        const seen: string[] = []
        new MutationObserver(() => {
          const armed = area.getAttribute('data-armed') === 'true' ? 'armed' : 'waits'
          seen.push(`${area.checkVisibility() ? 'shown' : 'hidden'} ${armed}`)
        }).observe(area, { attributes: true })
        return seen
      })
    await page.getByRole('button', { name: 'Next ask' }).click()
    await until(async () => (await changes.jsonValue()).includes('hidden armed'), 'the wait in hiding to end')
    await page.getByRole('button', { name: 'Previous ask' }).click()
    await until(async () => (await changes.jsonValue()).includes('shown armed'), 'the card to be armed')
    expect((await changes.jsonValue()).slice(-2)).toEqual(['shown waits', 'shown armed'])
  })
})

describe('a key on a card that was scrolled out of sight (T29)', () => {
  const LONG_COMMAND = Array.from({ length: 12 }, (_, line) => `echo ${line}`).join('\n')

  it.each([
    ['an approval', bash('rm -rf out-of-sight'), ['a'], 'allowed'],
    ['a question', QUESTION, ['1', 'Enter'], 'answered'],
  ])('shows %s again and decides nothing; the next one counts', async (_, request, keys, kind) => {
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent, request)
    for (let more = 0; more < 6; more++) await test.openAsk(agent, bash(LONG_COMMAND))
    const page = await goTo('/')
    const card = cardOf(page, ask.id)
    const isInSight = () =>
      card.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        return top < innerHeight && bottom > 0
      })
    await card.locator('h3').click()
    await armed(card)
    await page.mouse.move(700, 500)
    // The first turn of the wheel may scroll what is under the pointer instead of the page.
    await until(async () => {
      await page.mouse.wheel(0, 3000)
      return !(await isInSight())
    }, 'the card to be out of sight')
    await letPass(page, 2000)
    for (const key of keys) await page.keyboard.press(key)
    await until(isInSight, 'the card to be in sight again')
    await expectOpen(ask)
    await armed(card)
    for (const key of keys) await page.keyboard.press(key)
    const outcome = () => test.api.ok<Ask>('GET', `/api/asks/${ask.id}`).then(({ outcome }) => outcome?.kind)
    expect(await until(outcome, 'the outcome')).toBe(kind)
  })
})
