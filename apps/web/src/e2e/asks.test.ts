import { ask, multiQuestion, singleQuestion, steps } from '@holdpoint/demo-model/scenarios'
import { type Script, use } from '@holdpoint/demo-model/script'
import { armed, cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { type OpenPage, openPage } from '@holdpoint/testing/browser/open-page'
import { type RealGateway, type RealSession, startRealGateway } from '@holdpoint/testing/e2e/real-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Does what each message says: `make` these files, one command after another, or `ask` questions. */
const obey: Script = (call) => {
  if (call.lastUserText === 'ask') return steps([ask(singleQuestion, multiQuestion)])(call)
  const names = /^make (.*)$/.exec(call.lastUserText)?.[1]?.split(' ') ?? []
  return steps(names.map((name) => use('Bash', { command: `touch ${name}`, description: 'make a file' })))(call)
}
/** As Claude Code tells its model. A label alone proves nothing: it stands in the question, too. */
const given = (question: string, answer: string) => JSON.stringify(`"${question}"="${answer}"`).slice(1, -1)
/** A gateway that is killed takes its connections with it, and the browser says so. */
const CONNECTION_LOST = [/WebSocket connection/, /ERR_CONNECTION_REFUSED|Failed to load resource/]

let real: RealGateway
let browser: Browser
beforeAll(async () => {
  ;[real, browser] = await Promise.all([startRealGateway({ scripts: { obey } }), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await real[Symbol.asyncDispose]()
})

/** One agent for several tests: to start one is what takes the time. */
async function startAgent(): Promise<RealSession> {
  const session = await real.session('obey')
  await session.idle()
  return session
}

describe.each([1440, 390] as const)('a person at %i px', (width) => {
  let tab: OpenPage
  let session: RealSession
  beforeAll(async () => {
    ;[tab, session] = await Promise.all([openPage(browser, real, { width }), startAgent()])
  })
  afterAll(() => tab[Symbol.asyncDispose]())

  it('allows, and the agent goes on', async () => {
    await session.send('make allowed.txt')
    const { id } = await session.ask()
    const card = cardOf(tab.page, id)
    await press(card, 'Allow once')
    await card.getByText('Allowed once').waitFor()
    await session.idle()
    expect(await session.file('allowed.txt')).toBe('')
  })

  it('denies with a reason, and the agent adapts', async () => {
    await session.send('make one.txt two.txt')
    await tab.page.evaluate((id) => history.pushState(null, '', `/sessions/${id}`), session.id)
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
    await session.send('ask')
    await tab.page.evaluate(() => history.pushState(null, '', '/'))
    const { id, questions } = await session.ask()
    const card = cardOf(tab.page, id)
    expect(questions).toMatchObject([singleQuestion, multiQuestion])
    // Until then it may move under the pointer.
    await armed(card)
    await card.getByRole('radio', { name: 'One column' }).check()
    for (const name of ['Store', 'Page']) await card.getByRole('checkbox', { name }).check()
    await press(card, /^Send/)
    await session.idle()
    expect(session.told()).toContain(given(singleQuestion.question, 'One column'))
    expect(session.told()).toContain(given(multiQuestion.question, 'Store, Page'))
  })
})

describe('one ask, several places', () => {
  let session: RealSession
  beforeAll(async () => {
    session = await startAgent()
  })

  it('goes from both tabs when one answers; the loser is told who won', async () => {
    await session.send('make answered-twice.txt')
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
    expect(await session.file('answered-twice.txt')).toBe('')
  })

  it('goes with its agent', async () => {
    const session = await startAgent()
    await session.send('make made.txt')
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
    await session.send('make reloaded.txt')
    const { id } = await session.ask()
    await using tab = await openPage(browser, real, { path: `/sessions/${session.id}` })
    await cardOf(tab.page, id).waitFor()
    await tab.page.reload()
    await press(cardOf(tab.page, id), 'Allow once')
    await session.idle()
    expect(await session.file('reloaded.txt')).toBe('')
  })

  it('is answered by the same card after the network was away', async () => {
    await session.send('make offline.txt')
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
    expect(await session.file('offline.txt')).toBe('')
  })

  it('[F1] is answered by the same card after the gateway was killed and started again', async () => {
    await session.send('make restarted.txt')
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
    expect(await session.file('restarted.txt')).toBe('')
    expect(await tab.page.evaluate(() => 'sameDocument' in window)).toBe(true)
  })
})
