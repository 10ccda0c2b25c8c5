import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { TIMEOUT_MS } from '@holdpoint/testing/long'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
let test: TestGateway
/** What the file of each ask is now; an ask shows what it was. */
const contents = new Map<string, string>()
const hashOf = (path: string) => (contents.get(path) ?? 'a').repeat(64)
beforeAll(async () => {
  const whatChanged = async ({ files = [] }: Ask) =>
    files.some(({ path, sha256 }) => sha256 !== hashOf(path)) ? 'The file has changed since it was shown.' : undefined
  ;[test, browser] = await Promise.all([startAppGateway({ whatChanged }), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

function edit(path: string): Partial<AskRequest> {
  const now = contents.get(path) ?? 'a'
  return {
    tool: { name: 'Edit', input: { file_path: path, old_string: 'one', new_string: 'two' } },
    title: 'Edit',
    context: { cwd: '/w', filePath: path, diff: `--- a\n+++ a\n@@ -1 +1 @@\n-one ${now}\n+two ${now}\n` },
    files: [{ path, use: 'edits', sha256: hashOf(path) }],
  }
}

/** An ask about a file, raised again by its agent when that has changed, as drivers do. */
async function raise(path: string, given: Awaited<ReturnType<TestGateway['session']>>) {
  const before = new Set((await open()).map(({ id }) => id))
  const outcome = given.agent.ask(edit(path), undefined, () => edit(path))
  const ask = await until(async () => (await open()).find(({ id }) => !before.has(id)), 'the ask')
  return { ask, outcome }
}

const open = async () => (await test.api.ok<{ asks: Ask[] }>('GET', '/api/asks?status=open')).asks
const successor = (ask: Ask) =>
  until(async () => (await open()).find(({ replaces }) => replaces === ask.id), 'the next')

it.each([
  ['the inbox', () => '/'],
  ['the session', (id: string) => `/sessions/${id}`],
])(
  '[T63] puts the new card in the place of one whose file has changed: %s',
  { timeout: TIMEOUT_MS },
  async (where, path) => {
    const [file, other] = [`/w/${where}/a`, `/w/${where}/b`]
    const given = await test.session()
    const { ask, outcome } = await raise(file, given)
    const beside = await raise(other, given)
    await using tab = await openPage(browser, test, {
      clock: 'running',
      path: path(given.session.id),
      expected: [/status of 409/],
    })
    const { page } = tab
    const answered: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/answer')) answered.push(request.url())
    })
    await cardOf(page, ask.id).waitFor()
    contents.set(file, 'b')
    await press(cardOf(page, ask.id), 'Allow once')
    const again = await successor(ask)
    const card = cardOf(page, again.id)
    await card
      .getByText(
        'The file or its location changed before you answered, so nothing was allowed. Below is what would happen now.',
      )
      .waitFor()
    expect(await card.textContent()).toContain('one b')
    // In its place: the old card is gone, and the one beside it is still behind it.
    await until(async () => (await cardOf(page, ask.id).count()) === 0, 'the old card to go')
    const ids = await page
      .locator('[data-ask-id]:visible')
      .evaluateAll((cards) => cards.map((each) => each.dataset.askId))
    expect(ids[0]).toBe(again.id)
    // The press that was meant for the old one decides nothing, nor does a second click where the button was.
    expect(answered).toHaveLength(1)
    expect((await test.api.ok<Ask>('GET', `/api/asks/${ask.id}`)).outcome).toMatchObject({ kind: 'withdrawn' })
    expect((await test.api.ok<Ask>('GET', `/api/asks/${again.id}`)).outcome).toBeUndefined()
    await press(card, 'Allow once')
    expect(await outcome).toMatchObject({ kind: 'allowed' })
    await test.gateway.broker.withdraw(beside.ask.id, 'agent-cancelled')
  },
)
