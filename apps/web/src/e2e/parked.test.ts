import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findingsInBothThemes, findingsOfWidth } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
let test: Awaited<ReturnType<typeof startAppGateway>>
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway({ parkMs: 1000 }), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

it.each([390, 1440] as const)(
  'F65 a parked session says so, and a message starts its agent again (%i px)',
  async (width) => {
    const { session, agent } = await test.session({ title: 'Tidy up the queue' })
    agent.quietMs = undefined
    await agent.say('Done. What is next?')
    await agent.start.emit([{ type: 'identified', vendorSessionId: 'theirs' }])
    agent.quietMs = Number.POSITIVE_INFINITY
    const parkedAt = () => test.gateway.ledger.views().get(session.id)?.session.parkedAt
    await until(parkedAt, 'the agent to be parked')
    await using opened = await openPage(browser, test, { width, reducedMotion: true, path: `/sessions/${session.id}` })
    const { page } = opened
    const field = page.getByLabel('Message to the agent')
    const hint = page.getByText('Your next message starts it again')
    await hint.waitFor()
    await page.getByText('idle, parked').filter({ visible: true }).first().waitFor()
    expect(await (width === 390 ? findingsInBothThemes : findingsOfWidth)(page)).toEqual([])
    await screenshots(page, 'parked')
    await field.fill('Go on with the tests')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await hint.waitFor({ state: 'detached' })
    const woken = await until(() => {
      const now = test.synthetic.agents.get(session.id)
      return now?.start.epoch === 2 ? now : undefined
    }, 'the agent to be started again')
    await until(() => woken.messages.length === 1, 'the message')
    expect(woken.messages.map(({ text }) => text)).toEqual(['Go on with the tests'])
    expect(woken.start.resume).toBe('theirs')
  },
)
