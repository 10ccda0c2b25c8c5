import { press, scrollToEnd } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth, sidewaysFindings } from '@holdpoint/testing/browser/findings'
import { type OpenPage, openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CASES } from '../gallery/cases.ts'
import { goToCase, pathOf, startGallery } from './gallery-page.ts'

let browser: Browser
let test: TestGateway
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startGallery(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

it('shows how far the notifications of an ask came, whole on a phone', async () => {
  await using tab = await openPage(browser, test, { width: 390, path: pathOf('approval-bash-notified--pending') })
  const { page } = tab
  const line = page.getByTitle(/^sent to 2 devices, shown on Chrome on Android, seen by nobody/)
  expect(await line.innerText()).toMatch(/^sent to 2 devices, shown on Chrome on Android,\nseen by nobody for /)
  expect(await line.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  expect(
    await line
      .locator('span:visible')
      .evaluateAll((parts) => parts.every((part) => part.scrollWidth <= part.clientWidth)),
  ).toBe(true)
  const rows = await line.evaluate(
    (element) => element.clientHeight / Number.parseFloat(getComputedStyle(element).lineHeight),
  )
  expect(Math.floor(rows)).toBe(2)
  await screenshots(page, 'gallery/notices')
  await page.setViewportSize({ width: 1440, height: 900 })
  await screenshots(page, 'gallery/notices')
})

interface Opening {
  readonly id: string
  readonly name: string
  open(card: Locator): Promise<void>
}

/** What a person opens on a card before answering. */
const OPENINGS: readonly Opening[] = [
  { id: 'approval-bash--pending', name: 'deny', open: (card) => button(card, 'Deny…').click() },
  { id: 'approval-bash-default-no--pending', name: 'confirm', open: (card) => press(card, 'Allow once…') },
  {
    id: 'approval-bash--pending',
    name: 'edit',
    async open(card) {
      await openEdit(card)
      await card.getByRole('textbox').fill('npm run migrate:status')
    },
  },
  {
    id: 'approval-mcp--pending',
    name: 'edit-broken',
    async open(card) {
      await openEdit(card)
      await card.getByRole('textbox').fill('{ "project": ')
    },
  },
  {
    id: 'approval-bash--pending',
    name: 'remember',
    open: openRemember,
  },
  {
    id: 'approval-bash-rules--pending',
    name: 'rule',
    async open(card) {
      await openRemember(card)
      await card.getByRole('radio', { name: 'Bash(git log *)' }).check()
      await card.getByLabel('Where').selectOption('project')
    },
  },
  {
    id: 'approval-edit-rules--pending',
    name: 'rule-broken',
    async open(card) {
      await openRemember(card)
      await card.getByLabel('Rule', { exact: true }).fill('Edit(')
      await card.getByText('The closing bracket at the end is missing').waitFor()
    },
  },
  { id: 'approval-bash-no-rule--pending', name: 'no-rule', open: openRemember },
  {
    id: 'question-two--pending',
    name: 'answered',
    async open(card) {
      await card.getByRole('radio').first().check()
      await card.getByRole('checkbox').last().check()
      await card.getByRole('textbox').last().fill('Swiss francs, as the contract says')
    },
  },
  { id: 'plan--pending', name: 'send-back', open: (card) => button(card, 'Send back…').click() },
  {
    id: 'plan--pending',
    name: 'edit',
    async open(card) {
      await openEdit(card)
      await card.getByRole('textbox').fill('# A shorter plan\n\n1. Do it.\n')
    },
  },
  {
    id: 'form--pending',
    name: 'errors',
    async open(card) {
      await scrollToEnd(card.getByRole('group', { name: 'Form', exact: true }))
      await press(card, 'Submit')
    },
  },
  { id: 'approval-edit--pending', name: 'more', open: (card) => button(card, /^(More…|Edit)$/).click() },
  { id: 'approval-bash--denied', name: 'again', open: (card) => card.locator('summary').click() },
  { id: 'plan--approved', name: 'again', open: (card) => card.locator('summary').click() },
]

function button(card: Locator, name: string | RegExp): Locator {
  return card.getByRole('button', { name, exact: true })
}

async function openRemember(card: Locator): Promise<void> {
  const more = button(card, 'More…')
  if (await more.isVisible()) await more.click()
  await button(card, /^Allow and remember…/).click()
}

async function openEdit(card: Locator): Promise<void> {
  const more = button(card, 'More…')
  if (await more.isVisible()) await more.click()
  await button(card, /^Edit/).click()
}

describe.each([390, 1440] as const)('at %i px', (width) => {
  let gallery: OpenPage
  beforeAll(async () => {
    // Without motion, a colour is what it is as soon as the theme changes.
    const options = { width, clock: 'running', reducedMotion: true, path: '/gallery.html?all' } as const
    gallery = await openPage(browser, test, options)
  })
  afterAll(() => gallery[Symbol.asyncDispose]())
  const look = width === 390 ? findingsInBothThemes : findingsOfWidth

  it('every card is in order in every state', { timeout: TIMEOUT_MS * 2 }, async () => {
    const { page } = gallery
    await page.locator('[data-case]').last().waitFor()
    expect.soft(await look(page)).toEqual([])
    // All of them were judged above; a picture of each, for people to look at, takes time that only the long run has.
    for (const { id, huge } of CASES.filter((one) => one.huge || LONG)) {
      await goToCase(page, id)
      if (huge) expect.soft(await sidewaysFindings(page), id).toEqual([])
      await screenshots(page, `gallery/${id}`, 'main')
    }
  })

  it('every card is in order with its panels and dialogs open', { timeout: TIMEOUT_MS * 2 }, async () => {
    const { page } = gallery
    // What is narrow breaks first; the wide page has every third of them, unless there is time for all.
    const openings = width === 390 || LONG ? OPENINGS : OPENINGS.filter((_, place) => place % 3 === 0)
    report(`panels: ${openings.length} of ${OPENINGS.length} at ${width} px`)
    for (const opening of openings) {
      await opening.open(await goToCase(page, opening.id))
      const name = `${opening.id}-${opening.name}`
      expect.soft(await look(page), name).toEqual([])
      await screenshots(page, `gallery/${name}`)
    }
  })

  it('several asks at once are in order', async () => {
    const { page } = gallery
    await page.evaluate(() => {
      location.hash = 'live--burst'
    })
    const boxes = page.getByRole('checkbox', { name: 'Select this ask' })
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.getByRole('group', { name: 'Answer the selected asks' }).scrollIntoViewIfNeeded()
    expect.soft(await look(page)).toEqual([])
    await screenshots(page, 'gallery/burst')
  })
})
