import { ask, multiQuestion, planSteps, singleQuestion, steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { type OpenPageOptions, openPage } from '@holdpoint/testing/browser/open-page'
import { type RealGateway, startRealGateway } from '@holdpoint/testing/e2e/real-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const scripts = {
  bash: steps([use('Bash', { command: 'touch made.txt', description: 'make a file' })]),
  'two-bash': steps([use('Bash', { command: 'touch one.txt' }), use('Bash', { command: 'touch two.txt' })]),
  question: steps([ask(singleQuestion, multiQuestion)]),
  plan: steps(planSteps('# The plan\n\n1. Do it.\n')),
}
/** As Claude Code tells its model. A label alone proves nothing: it stands in the question, too. */
const given = (question: string, answer: string) => JSON.stringify(`"${question}"="${answer}"`).slice(1, -1)
/** A gateway that is killed takes its connections with it, and the browser says so. */
const CONNECTION_LOST = [/WebSocket connection/, /ERR_CONNECTION_REFUSED|Failed to load resource/]

let real: RealGateway
let browser: Browser
beforeAll(async () => {
  ;[real, browser] = await Promise.all([startRealGateway({ scripts }), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await real[Symbol.asyncDispose]()
})

describe.each([1440, 390] as const)('a person at %i px', (width) => {
  const open = (options: OpenPageOptions = {}) => openPage(browser, real, { width, ...options })

  it('allows, and the agent goes on', async () => {
    const session = await real.session('bash')
    await using tab = await open()
    const { id } = await session.ask()
    const card = cardOf(tab.page, id)
    await press(card, 'Allow once')
    await card.getByText('Allowed once').waitFor()
    await session.idle()
    expect(await session.file('made.txt')).toBe('')
  })

  it('denies with a reason, and the agent adapts', async () => {
    const session = await real.session('two-bash')
    await using tab = await open({ path: `/sessions/${session.id}` })
    const first = await session.ask()
    const card = cardOf(tab.page, first.id)
    await press(card, /^Deny/)
    await card.getByRole('textbox').fill('not on a Sunday')
    await press(card, 'Deny')
    const second = await session.ask((candidate) => candidate.id !== first.id)
    expect(session.told()).toContain('not on a Sunday')
    await press(cardOf(tab.page, second.id), 'Allow once')
    await session.idle()
    expect([await session.file('one.txt'), await session.file('two.txt')]).toEqual([undefined, ''])
  })

  it('answers questions, and the agent goes on', async () => {
    const session = await real.session('question')
    await using tab = await open()
    const { id, questions } = await session.ask()
    const card = cardOf(tab.page, id)
    expect(questions).toMatchObject([singleQuestion, multiQuestion])
    await card.getByRole('radio', { name: 'One column' }).check()
    for (const name of ['Store', 'Page']) await card.getByRole('checkbox', { name }).check()
    await press(card, /^Send/)
    await session.idle()
    expect(session.told()).toContain(given(singleQuestion.question, 'One column'))
    expect(session.told()).toContain(given(multiQuestion.question, 'Store, Page'))
  })
})

describe('one ask, several places', () => {
  it('goes from both tabs when one answers; the loser is told who won', async () => {
    const session = await real.session('bash')
    await using left = await openPage(browser, real)
    await using right = await openPage(browser, real, { width: 390, role: 'approver', expected: [/status of 409/] })
    const { id } = await session.ask()
    // The right one is cut off from the news, as a phone in a tunnel is, and answers what was settled long ago.
    const slow = cardOf(right.page, id)
    await slow.getByRole('button', { name: 'Allow once' }).waitFor()
    await right.page.route('**/answer', async (route) => {
      await press(cardOf(left.page, id), 'Allow once')
      await session.idle()
      await route.continue()
    })
    await press(slow, 'Allow once')
    await slow
      .getByText(/owner under test/)
      .first()
      .waitFor()
    await until(async () => (await cardOf(left.page, id).getByRole('button').count()) === 0, 'the card to settle')
    expect(await session.file('made.txt')).toBe('')
  })

  it('goes with its agent', async () => {
    const session = await real.session('bash')
    await using tab = await openPage(browser, real, { path: `/sessions/${session.id}` })
    const { id } = await session.ask()
    await cardOf(tab.page, id).getByRole('button', { name: 'Allow once' }).waitFor()
    await real.api.ok('DELETE', `/api/sessions/${session.id}`)
    await until(
      async () => (await tab.page.getByRole('button', { name: 'Allow once' }).count()) === 0,
      'the card to go',
    )
    expect(await session.file('made.txt')).toBeUndefined()
  })

  it('is back after a reload', async () => {
    const session = await real.session('bash')
    const { id } = await session.ask()
    await using tab = await openPage(browser, real, { path: `/sessions/${session.id}` })
    await cardOf(tab.page, id).waitFor()
    await tab.page.reload()
    await press(cardOf(tab.page, id), 'Allow once')
    await session.idle()
    expect(await session.file('made.txt')).toBe('')
  })

  it('is answered by the same card after the network was away', async () => {
    const session = await real.session('bash')
    const { id } = await session.ask()
    await using tab = await openPage(browser, real, { expected: CONNECTION_LOST })
    const card = cardOf(tab.page, id)
    await card.waitFor()
    await tab.context.setOffline(true)
    await tab.page.getByText(/Last heard from the gateway/).waitFor()
    await tab.context.setOffline(false)
    await tab.page.getByText(/Last heard from the gateway/).waitFor({ state: 'detached' })
    await press(card, 'Allow once')
    await session.idle()
    expect(await session.file('made.txt')).toBe('')
  })

  it('[F1] is answered by the same card after the gateway was killed and started again', async () => {
    const session = await real.session('bash')
    const { id } = await session.ask()
    await using tab = await openPage(browser, real, { expected: CONNECTION_LOST })
    const card = cardOf(tab.page, id)
    await card.waitFor()
    await tab.page.evaluate(() => Object.assign(window, { sameDocument: true }))
    await real.gateway.kill9()
    await tab.page.getByText(/Last heard from the gateway/).waitFor()
    await real.restart()
    await tab.page.getByText(/Last heard from the gateway/).waitFor({ state: 'detached' })
    await press(card, 'Allow once')
    await session.idle()
    expect(await session.file('made.txt')).toBe('')
    expect(await tab.page.evaluate(() => 'sameDocument' in window)).toBe(true)
  })
})
