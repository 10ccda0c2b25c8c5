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

// The components of documents 002 and 003 on a real gateway; interactions.test.ts has them on one that is not there.

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
    .getByText('A file that this runs changed after this was shown, so nothing was allowed. Look again.')
    .waitFor()
  await button(dialog, 'Allow Once')
  expect(await changing).toMatchObject({ kind: 'allowed' })
  await dialog.getByText('rm -rf build').first().waitFor()
  await button(dialog, 'Deny')
  expect(await denied).toMatchObject({ kind: 'denied' })
  await tab.page.locator('[data-queue="0"]').waitFor({ state: 'attached' })
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
  await tab.page.getByText('A file that this runs changed after this was shown').waitFor()
  const again = tab.page.locator('article[data-state="pending"]')
  expect(await again.getAttribute('data-tool-call-id')).toMatch(/^ask_/)
  await button(again, 'Approve')
  expect(await approved).toMatchObject({ kind: 'allowed' })
})
