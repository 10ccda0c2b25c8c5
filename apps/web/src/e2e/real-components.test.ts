import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { press, settledPlace } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { TIMEOUT_MS } from '@holdpoint/testing/long'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startGallery } from './gallery-page.ts'

// The components of the permission and turn-stream protocols on a real gateway; interactions.test.ts has them on one that is
// not there.

let browser: Browser
let test: TestGateway
let content = 'a'
beforeAll(async () => {
  const whatChanged = async ({ files = [] }: Ask) =>
    files.some(({ sha256 }) => sha256 !== content.repeat(64)) ? 'The file has changed since it was shown.' : undefined
  ;[test, browser] = await Promise.all([startGallery({ whatChanged }), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

function bash(command: string): Partial<AskRequest> {
  return { tool: { name: 'Bash', input: { command } }, title: command, context: { cwd: '/w/sub', command } }
}

function script(): Partial<AskRequest> {
  return { ...bash('sh build.sh'), files: [{ path: '/w/sub/build.sh', use: 'runs', sha256: content.repeat(64) }] }
}

async function button(shown: Locator, name: string) {
  await settledPlace(shown, shown.getByRole('button', { name, exact: true }))
  await press(shown, name)
}

it('usePermissions and PermissionModal allow, deny and show anew what has changed', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { agent, session } = await test.session()
  const changing = agent.ask(script(), undefined, script)
  // The first one is shown first: the other comes when it is there.
  await until(async () => (await test.api.openAsks(session.id)).length === 1, 'the first ask')
  const denied = agent.ask(bash('rm -rf build'))
  await using tab = await openPage(browser, test, {
    clock: 'running',
    path: `/gallery.html?case=real-permissions&session=${session.id}`,
    expected: [/status of 409/],
  })
  const dialog = tab.page.getByRole('dialog')
  await dialog
    .getByText(
      'Runs build.sh. If it changes before you answer, you are asked again. Files that it loads are not checked.',
    )
    .waitFor()
  expect(await dialog.getByText('1 more waits').count()).toBe(1)
  content = 'b'
  await button(dialog, 'Allow Once')
  await dialog
    .getByText(
      'The folder or a file that this runs changed before you answered, so nothing was allowed. Below is what would happen now.',
    )
    .waitFor()
  await button(dialog, 'Allow Once')
  expect(await changing).toMatchObject({ kind: 'allowed' })
  await dialog.getByText('rm -rf build').first().waitFor()
  await button(dialog, 'Deny')
  expect(await denied).toMatchObject({ kind: 'denied' })
  await tab.page.locator('[data-queue="0"]').waitFor({ state: 'attached' })
})

it('F58 usePermissions shows a large request also when the one before it went, or failed, while it was loaded', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { agent, session } = await test.session()
  const large = (name: string) => agent.ask(bash(`echo ${name} # ${'x'.repeat(40_000)}`))
  await using tab = await openPage(browser, test, {
    clock: 'running',
    path: `/gallery.html?case=real-permissions&session=${session.id}`,
    expected: [/status of 503/],
  })
  await tab.page.locator('[data-queue="0"]').waitFor({ state: 'attached' })
  const loaded: string[] = []
  await tab.page.route('**/api/asks/ask_*', (route) => {
    // The first is never answered, the second not at once.
    if (loaded.push(route.request().url()) === 2) return route.fulfill({ status: 503, json: { error: {} } })
    return loaded.length === 1 ? undefined : route.continue()
  })
  const first = large('one')
  await until(() => loaded.length === 1, 'the first to be loaded')
  void large('two').catch(() => {})
  const [open] = await until(async () => {
    const asks = await test.api.openAsks(session.id)
    return asks.length === 2 && asks
  }, 'both asks')
  const whole = await test.api.ok<Ask>('GET', `/api/asks/${open?.id}`)
  expect((await test.api.answer(whole, { kind: 'deny' })).status).toBe(200)
  expect(await first).toMatchObject({ kind: 'denied' })
  await tab.page.getByRole('dialog').getByText('echo two').first().waitFor()
  expect(loaded).toHaveLength(3)
})

it('F58 usePermissions shows what the agent asks before all that a program has raised', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { agent, session } = await test.session()
  const raiser = await test.credential({ role: 'raiser', sessionIds: [session.id] })
  for (const count of [1, 2, 3]) {
    const { title, tool } = bash(`npm run lint ${count}`)
    const raised = {
      sessionId: session.id,
      requestId: `r${count}`,
      kind: 'approval',
      title,
      tool,
      context: { cwd: '/w' },
    }
    await raiser.api.ok('POST', '/api/asks', raised)
  }
  const asked = agent.ask(bash('deploy --production'))
  await until(async () => (await test.api.openAsks(session.id)).length === 4, 'all four')
  await using tab = await openPage(browser, test, {
    clock: 'running',
    path: `/gallery.html?case=real-permissions&session=${session.id}`,
  })
  const dialog = tab.page.getByRole('dialog')
  await dialog.getByText('3 more wait').waitFor()
  expect(await dialog.getByText('deploy --production').count()).toBeGreaterThan(0)
  await button(dialog, 'Deny')
  expect(await asked).toMatchObject({ kind: 'denied' })
  await dialog.getByText('npm run lint 1').first().waitFor()
})

const questions = [
  {
    question: 'Which layout?',
    header: 'Layout',
    options: [{ label: 'Rows' }, { label: 'Columns' }],
    multiSelect: false,
  },
  { question: 'Which currencies?', options: [{ label: 'EUR' }, { label: 'USD' }], multiSelect: true },
]

it('useChatSession, ToolApproval and QuestionPrompt answer what waits', { timeout: TIMEOUT_MS }, async () => {
  content = 'a'
  const { agent, session } = await test.session({ prompt: 'Go.' })
  const approved = agent.ask({ ...script(), toolUseId: 'toolu_a' }, undefined, script)
  const denied = agent.ask({ ...bash('rm -rf build'), toolUseId: 'toolu_d' })
  const answered = agent.ask({
    kind: 'question',
    toolUseId: 'toolu_q',
    tool: { name: 'AskUserQuestion', input: { questions } },
    questions,
    title: 'Question',
    context: { cwd: '/w' },
  })
  await using tab = await openPage(browser, test, {
    clock: 'running',
    path: `/gallery.html?case=real-chat&session=${session.id}`,
    expected: [/status of 409/],
  })
  const callOf = (id: string) => tab.page.locator(`article[data-tool-call-id="${id}"]`)
  // Text that reads as a list is one text, for the gateway and the agent, too.
  const prompt = callOf('toolu_q')
  await prompt.getByRole('radio', { name: 'Other…' }).check()
  await prompt.getByRole('textbox').first().fill('["none", "of these"]')
  await prompt.getByRole('checkbox', { name: 'USD' }).check()
  await button(prompt, 'Submit')
  const { answer } = await answered
  expect(answer).toMatchObject({
    answers: [
      { question: 0, selected: [], other: '["none", "of these"]' },
      { question: 1, selected: ['USD'] },
    ],
  })
  await button(callOf('toolu_d'), 'Deny')
  expect(await denied).toMatchObject({ kind: 'denied' })
  await callOf('toolu_a').getByText('Runs build.sh').waitFor()
  content = 'b'
  await button(callOf('toolu_a'), 'Approve')
  // What has changed is another call to answer: the old one says that it is over.
  await tab.page.getByText('The folder or a file that this runs changed before you answered').waitFor()
  const again = tab.page.locator('article[data-state="pending"]')
  expect(await again.getAttribute('data-tool-call-id')).toMatch(/^ask_/)
  await button(again, 'Approve')
  expect(await approved).toMatchObject({ kind: 'allowed' })
})
