import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { TIMEOUT_MS } from '@holdpoint/testing/long'
import { expect, it } from 'vitest'

it('[I6] runs an edited command as the person wrote it, whatever other field has the same text', {
  timeout: TIMEOUT_MS,
}, async () => {
  await using test = await startAppGateway()
  const browser = await launchChromium()
  try {
    const { agent, session } = await test.session()
    await using tab = await openPage(browser, test, { path: `/sessions/${session.id}` })
    const command = 'rm -rf build /srv/data'
    // The order of the fields, and what the description says, are the model's.
    const input = { description: command, command }
    const { ask, outcome } = await test.openAsk(agent, {
      tool: { name: 'Bash', input },
      agentSays: command,
      display: callDisplay({ name: 'Bash', input }),
      context: { cwd: test.dataDir, command },
    })
    const card = cardOf(tab.page, ask.id)
    await card.getByRole('button', { name: 'Edit' }).click()
    await card.getByLabel('Your version of the command').fill('rm -rf build')
    await press(card, 'Allow with changes')
    expect(await outcome).toMatchObject({
      kind: 'allowed',
      answer: { updatedInput: { description: command, command: 'rm -rf build' } },
    })
  } finally {
    await browser.close()
  }
})
