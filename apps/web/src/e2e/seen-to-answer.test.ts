import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { armed, cardOf, press, scrollToEnd } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { TIMEOUT_MS } from '@holdpoint/testing/long'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let browser: Browser
let test: TestGateway
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

function form(given: Partial<NonNullable<AskRequest['form']>>): Partial<AskRequest> {
  return { kind: 'form', title: 'A form', tool: undefined, form: { mode: 'form', server: 's', message: 'm', ...given } }
}

function question(
  text: string,
  ...options: NonNullable<AskRequest['questions']>[number]['options']
): Partial<AskRequest> {
  return { kind: 'question', title: 'q', questions: [{ question: text, multiSelect: false, options }] }
}

/** The card of an ask on a page of its own. */
async function openCard(request: Partial<AskRequest>, width: 390 | 1440 = 1440) {
  const { agent, session } = await test.session()
  const tab = await openPage(browser, test, { width, path: `/sessions/${session.id}` })
  const { ask, outcome } = await test.openAsk(agent, request)
  const card = cardOf(tab.page, ask.id)
  await card.waitFor()
  await armed(card)
  const answered = async () => (await test.api.ok<{ outcome?: unknown }>('GET', `/api/asks/${ask.id}`)).outcome
  return { page: tab.page, card, outcome, answered, [Symbol.asyncDispose]: tab[Symbol.asyncDispose] }
}

const isOff = async (button: Locator) => (await button.getAttribute('aria-disabled')) === 'true'

/** Presses where a button is, as a person would who has seen no more than what is there now. */
async function pressAtOnce(button: Locator) {
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  await button.page().mouse.click(x + width / 2, y + height / 2)
}

const seeAll = (card: Locator, name: string) => scrollToEnd(card.getByRole('group', { name, exact: true }))

/** Those of the element's letters that are not on screen, or are under something else. */
function unseenIn(element: Element): string {
  const range = document.createRange()
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let unseen = ''
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const letters = text.textContent ?? ''
    for (let at = 0; at < letters.length; at++) {
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      const { left, top, width, height } = range.getBoundingClientRect()
      const hit = document.elementFromPoint(left + width / 2, top + height / 2)
      if (letters[at]?.trim() && !(hit && element.contains(hit))) unseen += letters[at]
    }
  }
  return unseen
}

it('[T27] a program’s approval is not allowed before the end of its words has been on screen', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { session } = await test.session()
  const raiser = await test.credential({ role: 'raiser' })
  await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
  const ask = await raiser.api.ok<Ask>('POST', '/api/asks', {
    sessionId: session.id,
    requestId: 'r',
    kind: 'approval',
    title: 'Deploy',
    tool: { name: 'Deploy', input: {} },
    context: { cwd: test.dataDir },
    agentSays: `Deploy to staging?${'\n.'.repeat(400)}\nAnd delete the production database.`,
  })
  const card = cardOf(tab.page, ask.id)
  await armed(card)
  const allow = card.getByRole('button', { name: 'Allow once' })
  expect(await isOff(allow)).toBe(true)
  await seeAll(card, 'the program says')
  await until(async () => !(await isOff(allow)), 'the end to count as seen')
})

const NOTES = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`note_${at}`, { type: 'string' }]))
const MANY_FIELDS = form({
  message: `Save your notes?${'\n'.repeat(30)}By submitting you agree that the production database is deleted.`,
  schema: {
    type: 'object',
    properties: { ...NOTES, delete_production: { type: 'boolean', title: 'Delete production', default: true } },
  },
})

describe('a form', () => {
  it.each([390, 1440] as const)(
    '[T26] sends nothing before its end has been on screen, at %i px',
    {
      timeout: TIMEOUT_MS,
    },
    async (width) => {
      await using open = await openCard(MANY_FIELDS, width)
      const { card, page, outcome, answered } = open
      const submit = card.getByRole('button', { name: 'Submit' })
      expect(await isOff(submit)).toBe(true)
      expect(await card.innerText()).toContain('Scroll to the end to answer')
      await pressAtOnce(submit)
      await card.focus()
      await armed(card)
      await page.keyboard.press('Control+Enter')
      expect(await answered()).toBeUndefined()
      await seeAll(card, 'Form')
      await until(async () => !(await isOff(submit)), 'the end to count as seen')
      expect(await card.getByText('Delete production').evaluate(unseenIn)).toBe('')
      await press(card, 'Submit')
      expect(await outcome).toMatchObject({ kind: 'answered', answer: { content: { delete_production: true } } })
    },
  )

  it.each([390, 1440] as const)(
    '[T73] shows all of what is filled in already, at %i px',
    {
      timeout: TIMEOUT_MS,
    },
    async (width) => {
      const plan =
        'Free of charge, cancel at any time, no card needed, as before, until you say so, then 900 EUR a month'
      await using open = await openCard(
        form({
          schema: {
            type: 'object',
            properties: {
              paths: { type: 'string', default: `/home/me/project/tmp ${' '.repeat(80)} /home/me /` },
              site: { type: 'string', format: 'uri', default: `https://a.example/${'x'.repeat(90)}/delete` },
              plan: { type: 'string', enum: ['a', 'b'], enumNames: ['a', plan], default: 'b' },
            },
          },
        }),
        width,
      )
      const { card } = open
      for (const name of ['paths', 'site', 'plan'] as const) {
        const field = card.locator(`[data-field="${name}"]`)
        await field.evaluate((element) => element.scrollIntoView({ block: 'center' }))
        expect(await field.evaluate(unseenIn), name).toBe('')
      }
      expect(await card.innerText()).toMatch(/\/home\/me\/project\/tmp\s+\/home\/me \//)
      expect(await card.innerText()).toContain('/delete')
      expect(await card.innerText()).toContain('then 900 EUR a month')
      await card.getByRole('radio', { name: 'then 900 EUR' }).and(card.locator(':checked')).waitFor()
    },
  )

  it('[T24] shows what cannot be seen in what is filled in already', { timeout: TIMEOUT_MS }, async () => {
    const properties = { name: { type: 'string', default: 'safe\u200b\u202etxt.exe\nsecond' } }
    await using open = await openCard(form({ schema: { type: 'object', properties } }))
    expect(await open.card.innerText()).toContain('safe⟨U+200B⟩⟨U+202E⟩txt.exe\nsecond')
  })

  it('[T26] opens no link whose end has not been on screen', { timeout: TIMEOUT_MS }, async () => {
    const url = `https://a.example/${'x/'.repeat(1500)}`
    await using open = await openCard(form({ mode: 'url', message: 'Log in.', url }), 390)
    const { card, outcome } = open
    for (const name of ['Open', 'Done']) {
      expect(await isOff(card.getByRole('button', { name, exact: true })), name).toBe(true)
    }
    await seeAll(card, 'Form')
    await until(async () => !(await isOff(card.getByRole('button', { name: 'Done' }))), 'the end to count as seen')
    await press(card, 'Done')
    expect(await outcome).toMatchObject({ kind: 'answered' })
  })
})

describe('a question', () => {
  const LINES = '\n.'.repeat(120)

  it('[T26] is not sent by a key without the option that the key before it has only shown', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const many = Array.from({ length: 6 }, (_, n) => ({ label: `Choice ${n + 1}`, description: LINES }))
    const asked = question('Which ones?', ...many)
    await using open = await openCard({
      ...asked,
      questions: asked.questions?.map((one) => ({ ...one, multiSelect: true })),
    })
    const { card, page, outcome, answered } = open
    await seeAll(card, 'Questions')
    await card.focus()
    await armed(card)
    await page.keyboard.press('6')
    await page.keyboard.press('6')
    await page.keyboard.press('1')
    await card.getByText('Press 1 again to choose this option').filter({ visible: true }).waitFor()
    await page.keyboard.press('Control+Enter')
    expect(await answered()).toBeUndefined()
    await page.keyboard.press('1')
    await page.keyboard.press('Control+Enter')
    expect(await outcome).toMatchObject({
      kind: 'answered',
      answer: { answers: [{ selected: ['Choice 1', 'Choice 6'] }] },
    })
  })

  it('[T26] is answered by keys only with options that are in sight', { timeout: TIMEOUT_MS }, async () => {
    const danger = 'Yes, and drop the production database'
    await using open = await openCard(question(`May I go on?${LINES}`, { label: danger }, { label: 'No' }))
    const { card, page, outcome, answered } = open
    const option = card.getByRole('radio', { name: danger })
    await card.focus()
    await armed(card)
    expect(await card.getByText(danger).evaluate(unseenIn)).not.toBe('')
    await page.keyboard.press('1')
    await page.keyboard.press('Enter')
    expect(await option.isChecked()).toBe(false)
    expect(await answered()).toBeUndefined()
    await card.getByText('Press 1 again to choose this option').filter({ visible: true }).waitFor()
    // It was brought into sight instead.
    expect(await card.getByText(danger).evaluate(unseenIn)).toBe('')
    await page.keyboard.press('1')
    expect(await option.isChecked()).toBe(true)
    await seeAll(card, 'Questions')
    await press(card, 'Send answer')
    expect(await outcome).toMatchObject({ kind: 'answered' })
  })

  it.each([
    ['a description', { description: `keeps everything${LINES}\nexcept the production database` }],
    ['a preview', { preview: `keeps everything${LINES}\nexcept the production database` }],
  ])('[T26] is not answered before the end of %s has been on screen', { timeout: TIMEOUT_MS }, async (_, part) => {
    await using open = await openCard(question('Which way?', { label: 'The safe one', ...part }, { label: 'No' }))
    const { card, outcome, answered } = open
    const send = card.getByRole('button', { name: 'Send answer' })
    await card.getByText('The safe one').click()
    await armed(card)
    expect(await isOff(send)).toBe(true)
    await pressAtOnce(send)
    expect(await answered()).toBeUndefined()
    await seeAll(card, 'Questions')
    await until(async () => !(await isOff(send)), 'the end to count as seen')
    // Nothing inside scrolls by itself: the end of all is the end of each.
    const inner = await card
      .getByRole('group', { name: 'Questions' })
      .evaluate(
        (element) =>
          [...element.querySelectorAll('*:not(textarea)')].filter(
            (child) =>
              child.scrollHeight > child.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(child).overflowY),
          ).length,
      )
    expect(inner).toBe(0)
    await press(card, 'Send answer')
    expect(await outcome).toMatchObject({ kind: 'answered' })
  })
})
