import type { AskRequest, Question } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { armed, cardOf, press, scrollToEnd } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { focused } from '@holdpoint/testing/browser/focus'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let test: TestGateway
let browser: Browser
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

const choice = (name: string, labels: readonly string[], preview?: string): Question => ({
  question: `Which ${name}?`,
  multiSelect: false,
  options: labels.map((label) => ({ label, ...(preview !== undefined && { preview }) })),
})

function asking(questions: Question[]): Partial<AskRequest> {
  return { kind: 'question', title: 'Questions', tool: { name: 'AskUserQuestion', input: {} }, questions }
}

describe.each([1440, 390] as const)('questions at %i px', (width) => {
  async function open(questions: Question[], place: 'inbox' | 'session') {
    const { agent, session } = await test.session()
    const raised = await test.openAsk(agent, asking(questions))
    const path = place === 'inbox' ? '/' : `/sessions/${session.id}`
    const tab = await openPage(browser, test, { width, path, reducedMotion: true })
    const card = cardOf(tab.page, raised.ask.id)
    await card.waitFor()
    return { ...raised, ...tab, card }
  }

  it('gives each digit to the question with the focus, which then goes on to the next', async () => {
    const names = ['colour', 'size', 'shape']
    const questions = names.map((name) => choice(name, [`${name} 1`, `${name} 2`, `${name} 3`]))
    await using tab = await open(questions, 'session')
    const { page, card, outcome } = tab
    await armed(card)
    await card.getByRole('radio', { name: 'colour 1' }).focus()
    for (const digit of ['2', '1', '3']) await page.keyboard.press(digit)
    await scrollToEnd(card.getByRole('group', { name: 'Questions' }))
    await press(card, 'Send answers')
    expect((await outcome).answer).toMatchObject({
      answers: [{ selected: ['colour 2'] }, { selected: ['size 1'] }, { selected: ['shape 3'] }],
    })
  })

  it('goes on below the question that was answered, and back to what was left out', async () => {
    const names = ['colour', 'size', 'shape']
    await using tab = await open(
      names.map((name) => choice(name, [`${name} 1`, `${name} 2`])),
      'session',
    )
    const { page, card } = tab
    await armed(card)
    await card.getByRole('radio', { name: 'size 1' }).focus()
    await page.keyboard.press('2')
    expect(await focused(page)).toMatch(/^input shape 1/)
    await page.keyboard.press('1')
    expect(await focused(page)).toMatch(/^input colour 1/)
  })

  it.each(['inbox', 'session'] as const)('keeps "Other…" in sight while it is written in: %s', async (place) => {
    const preview = Array.from({ length: 9 }, (_, line) => `line ${line}`).join('\n')
    await using tab = await open([choice('look', ['Plain', 'Framed', 'Loud'], preview)], place)
    const { page, card, outcome } = tab
    await scrollToEnd(card.getByRole('group', { name: 'Questions' }))
    await card.getByText('Other…').click()
    const field = card.getByLabel('Other: your own words')
    await expect.poll(() => isWholeInSight(field)).toBe(true)
    await screenshots(page, `other-${place}`)
    // The keyboard of a phone comes.
    await page.setViewportSize({ width, height: 430 })
    await expect.poll(() => isWholeInSight(field)).toBe(true)
    await field.fill('Something else\nin three\nlines')
    await expect.poll(() => isWholeInSight(field)).toBe(true)
    await screenshots(page, `other-written-${place}`)
    await scrollToEnd(card.getByRole('group', { name: 'Questions' }))
    await press(card, 'Send answer')
    expect((await outcome).answer).toMatchObject({ answers: [{ other: 'Something else\nin three\nlines' }] })
  })

  it('says what keeps it from being sent', async () => {
    await using tab = await open([choice('colour', ['Blue', 'Red'])], 'session')
    const send = tab.card.getByRole('button', { name: 'Send answer', exact: true })
    await tab.card.getByText('Not answered yet').filter({ visible: true }).waitFor()
    await screenshots(tab.page, 'question-open')
    expect(await send.evaluate(descriptionOf)).toBe('Not answered yet')
    await armed(tab.card)
    const before = await send.boundingBox()
    await tab.card.getByRole('radio', { name: 'Red' }).check()
    await tab.card.getByText('Ready to send').filter({ visible: true }).waitFor()
    expect(await send.boundingBox()).toEqual(before)
  })
})

function isWholeInSight(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect()
    const points = [
      [left + 6, top + 6],
      [right - 6, bottom - 6],
    ] as const
    return points.every(([x, y]) => node.contains(document.elementFromPoint(x, y)))
  })
}

function descriptionOf(element: Element): string | undefined {
  return document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent ?? undefined
}
