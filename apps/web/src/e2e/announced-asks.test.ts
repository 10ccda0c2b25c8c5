import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { expect, it } from 'vitest'

it('announces an ask as long as it waits, and not when it is settled', async () => {
  await using test = await startAppGateway()
  const browser = await launchChromium()
  try {
    const { agent, session } = await test.session()
    await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
    const { page } = tab
    await page.getByRole('heading', { level: 1 }).waitFor()
    const announced = page.getByRole('status').filter({ hasText: /Needs answer: / })
    const raise = (title: string) =>
      test.openAsk(agent, { title, tool: { name: 'Bash', input: {} }, context: { cwd: '/w' } })
    const one = await raise('one')
    await announced.waitFor({ state: 'attached' })
    await test.gateway.broker.withdraw(one.ask.id, 'agent-cancelled')
    await announced.waitFor({ state: 'detached' })
    await raise('two')
    await announced.waitFor({ state: 'attached' })
    expect(await announced.innerText()).toContain('Bash')
  } finally {
    await browser.close()
  }
})
