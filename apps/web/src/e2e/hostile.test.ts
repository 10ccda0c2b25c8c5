import type { AskRequest } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PAYLOADS } from './payloads.ts'

/** Every 43rd in `npm test`: each disguise has its turn, with another template each time. */
const TRIED = LONG ? PAYLOADS : PAYLOADS.filter((_, index) => index % 43 === 0)

/** What no text may make: the content policy would stop most of it, so that it has to be looked for. */
const FOREIGN =
  'script:not([src^="/"], head > [type="importmap"]), iframe, object, embed, base, form[action], [onerror], [onload], [srcdoc], a[href^="javascript:" i], a[href^="data:" i]'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** Every field that an agent, a repository or a server it talks to can fill, filled with the same thing. */
function asksFullOf(payload: string): Partial<AskRequest>[] {
  const context = {
    cwd: `/tmp/${payload}`,
    filePath: `/tmp/${payload}`,
    url: payload,
    query: payload,
    blockedPath: payload,
  }
  const diff = `--- a/${payload}\n+++ b/${payload}\n@@ -1,1 +1,1 @@\n-${payload.replaceAll('\n', ' ')}\n+${payload.replaceAll('\n', ' ')}!\n`
  const common = {
    title: payload.slice(0, 1000),
    agentSays: payload,
    decisionReason: payload,
    subagent: payload.slice(0, 200),
    subagentName: payload.slice(0, 200),
    context,
  }
  const tool = (name: string, input: Record<string, unknown>) => ({ name, displayName: payload.slice(0, 500), input })
  return [
    { ...common, tool: tool('Bash', { command: payload, description: payload, [payload]: payload }) },
    {
      ...common,
      tool: tool('Edit', { file_path: payload, old_string: payload, new_string: payload }),
      context: { ...context, diff },
    },
    {
      ...common,
      tool: tool('Write', { file_path: payload, content: payload }),
      context: { ...context, diffOmitted: payload },
    },
    { ...common, tool: tool('WebFetch', { url: `https://example.invalid/${payload}`, prompt: payload }) },
    {
      ...common,
      tool: {
        ...tool(`mcp__${payload}`.slice(0, 500), { a: [payload, { [payload]: payload }] }),
        mcpServer: { name: payload, source: payload },
      },
    },
    {
      ...common,
      kind: 'question',
      questions: [
        {
          question: payload,
          header: payload,
          multiSelect: false,
          options: [{ label: payload, description: payload, preview: payload }],
        },
        { question: `${payload} 2`, multiSelect: true, options: [{ label: payload }, { label: `${payload}!` }] },
      ],
    },
    { ...common, kind: 'plan', plan: { text: payload, filePath: payload } },
    {
      ...common,
      kind: 'form',
      form: {
        mode: 'form',
        server: payload,
        message: payload,
        schema: {
          type: 'object',
          properties: {
            [payload || 'a']: { type: 'string', title: payload, description: payload, default: payload },
            choice: { type: 'string', enum: [payload, 'b'], enumNames: [payload, payload] },
          },
        },
      },
    },
    { ...common, kind: 'form', form: { mode: 'url', server: payload, message: payload, url: payload } },
  ]
}

it(`[T41] runs no script out of ${TRIED.length} payloads in every field`, { timeout: TIMEOUT_MS * 2 }, async () => {
  await using test = await startAppGateway()
  let cards = 0
  const { agent, session } = await test.session()
  await using inbox = await openPage(browser, test)
  await using thread = await openPage(browser, test, { width: 390, path: `/sessions/${session.id}` })
  const pages = [inbox.page, thread.page]
  for (const page of pages) {
    await page.evaluate(() => Object.assign(window, { holdpointPwned: () => Object.assign(window, { pwned: true }) }))
  }
  for (const payload of TRIED) {
    await agent.start.emit([
      { type: 'item', item: { type: 'message', role: 'assistant', text: payload } },
      { type: 'item', item: { type: 'thinking', text: payload } },
      {
        type: 'item',
        item: {
          type: 'tool-call',
          toolUseId: `t${cards}`,
          name: payload.slice(0, 500) || 'x',
          input: { [payload]: payload },
        },
      },
      { type: 'item', item: { type: 'tool-result', toolUseId: `t${cards}`, text: payload, isError: true } },
      { type: 'item', item: { type: 'notice', level: 'error', text: payload } },
    ])
    const opened = await Promise.all(
      asksFullOf(payload).map(async (request, index) => {
        const requestId = `hostile-${cards}-${index}`
        agent.ask({ requestId, ...request }).catch(() => {})
        return until(
          async () => (await test.api.openAsks(session.id)).find((ask) => ask.requestId === requestId),
          requestId,
        )
      }),
    )
    cards += opened.length
    for (const ask of opened) await cardOf(inbox.page, ask.id).waitFor()
    for (const page of pages) {
      expect(await page.evaluate(() => 'pwned' in window), payload).toBe(false)
      expect(await page.locator(FOREIGN).count(), payload).toBe(0)
    }
    for (const ask of opened) await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
  }
  for (const page of pages) {
    // Whatever can be opened is opened.
    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLElement>('[aria-expanded="false"]')) button.click()
    })
    const openFolds = () => {
      const folds = [...document.querySelectorAll('details')]
      for (const fold of folds) fold.open = true
      // What is in a fold is made when it opens.
      return folds.every(({ childElementCount }) => childElementCount > 1)
    }
    await until(() => page.evaluate(openFolds), 'everything to open')
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false)
    expect(await page.locator(FOREIGN).count()).toBe(0)
  }
  report(`T41: ${TRIED.length} payloads, ${cards} cards`)
})
