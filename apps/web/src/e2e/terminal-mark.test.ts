import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { findings } from '@holdpoint/testing/browser/findings'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
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
  await using test = await startAppGateway()
  const browser = await launchChromium()
  try {
    const { agent } = await test.session({ title: 'A session with quite a long title, as first prompts are' })
    await test.openAsk(agent, { context: { cwd: test.dataDir, command: 'npm test' } })
    for (const width of [390, 1440] as const) {
      // Something small first: sockets are taken over only in a document that comes after.
      await using tab = await openPage(browser, test, { width, reducedMotion: true, path: '/api/health' })
      const { page } = tab
      await attachAll(page)
      await page.goto(test.api.url)
      for (const [path, name, heading] of [
        ['/', 'inbox', '1 needs an answer'],
        ['/sessions', 'sessions', 'Sessions'],
      ] as const) {
        await page.evaluate((to) => history.pushState(null, '', to), path)
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
        await page.locator('main').getByText('at its terminal').waitFor()
        expect.soft(await findings(page, 'main'), name).toEqual([])
        await screenshots(page, `terminal/attached-${name}`)
      }
    }
  } finally {
    await browser.close()
  }
})
