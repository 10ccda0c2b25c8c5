import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findings } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'

/** Lets the gateway say of every session that its agent runs in somebody's terminal. */
function attachAll(page: Page): Promise<void> {
  return page.routeWebSocket(/\/api\/stream/, (route) => {
    const server = route.connectToServer()
    server.onMessage((message) =>
      route.send(String(message).replaceAll('"trusted":false', '"trusted":false,"attached":true')),
    )
  })
}

it('marks sessions that run at their own terminal, in the list and in the inbox', async () => {
  await using test = await startTestGateway()
  const browser = await launchChromium()
  try {
    const { agent } = await test.session({ title: 'A session with quite a long title, as first prompts are' })
    await test.openAsk(agent, { context: { cwd: test.dataDir, command: 'npm test' } })
    for (const width of [390, 1440] as const) {
      await using tab = await openPage(browser, test, { width, reducedMotion: true, path: '/settings' })
      const { page } = tab
      await attachAll(page)
      for (const [path, name] of [
        ['/', 'inbox'],
        ['/sessions', 'sessions'],
      ] as const) {
        await page.goto(test.api.url + path)
        await page.locator('main').getByText('at its terminal').waitFor()
        expect.soft(await findings(page, 'main'), name).toEqual([])
        await screenshots(page, `terminal/attached-${name}`)
      }
    }
  } finally {
    await browser.close()
  }
})
