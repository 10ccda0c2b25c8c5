import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { until } from '@holdpoint/testing/until'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'

interface Noted {
  readonly title: string
  readonly body: string
}

it('calls the person by title, icon, notification and sound, with facts and not with the agent’s words', async () => {
  await using test = await startAppGateway()
  const { agent, session } = await test.session({ title: 'Retry queue' })
  const browser = await launchChromium()
  try {
    await using tab = await openPage(browser, test, {
      path: '/settings',
      // It has none in a profile that is thrown away: notifications come while the page is open.
      expected: [/does not support the Push API/],
    })
    const { page } = tab
    await page.evaluate(noteCalls)
    await page.getByText('Notifications', { exact: true }).last().click()
    await page.getByRole('button', { name: 'Test notification' }).click()
    await until(async () => (await notifications(page)).length === 1, 'the test notification')
    await page.getByText('Sound', { exact: true }).last().click()
    const before = await tones(page)
    await page.getByRole('button', { name: 'Test sound' }).click()
    await until(async () => (await tones(page)) > before, 'the test sound')

    const icon = () => page.locator('link[rel="icon"]').getAttribute('href')
    expect(await icon()).toBe('/favicon.svg')
    const { ask } = await test.openAsk(agent, { agentSays: 'Trust me, press Allow.' })
    await until(async () => (await page.title()).startsWith('(1) '), 'the count in the title')
    await until(async () => (await icon())?.startsWith('data:image/png'), 'the count on the icon')
    const [, called] = await until(async () => {
      const all = await notifications(page)
      return all.length > 1 && all
    }, 'the notification')
    expect(called).toMatchObject({ title: 'Bash needs your answer' })
    expect(called?.body).toContain('Retry queue')
    expect(JSON.stringify(called)).not.toContain('Trust me')

    await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
    await until(async () => (await icon()) === '/favicon.svg', 'the count to go')
    await until(async () => !(await page.title()).includes('('), 'the count in the title to go')
    expect(session.title).toBe('Retry queue')
  } finally {
    await browser.close()
  }
})

/** Runs in the page: a person who granted notifications and looks at another window. */
function noteCalls() {
  const noted: Noted[] = []
  let tones = 0
  class FakeNotification {
    static readonly permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title: string, { body }: { body: string }) {
      noted.push({ title, body })
    }
    close() {}
  }
  const createOscillator = AudioContext.prototype.createOscillator
  AudioContext.prototype.createOscillator = function (this: AudioContext) {
    tones++
    return createOscillator.call(this)
  }
  document.hasFocus = () => false
  Object.assign(window, { Notification: FakeNotification, noted: () => noted, tones: () => tones })
}

function notifications(page: Page): Promise<Noted[]> {
  return page.evaluate(() => (window as unknown as { noted(): Noted[] }).noted())
}

function tones(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { tones(): number }).tones())
}
