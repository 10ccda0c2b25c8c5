import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { armed, cardOf, press, scrollToEnd } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { type OpenPage, openPage } from '@holdpoint/testing/browser/open-page'
import { TIMEOUT_MS } from '@holdpoint/testing/long'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

let browser: Browser
let test: TestGateway
/** One for all: each test settles its own asks. */
let tab: OpenPage
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
  tab = await openPage(browser, test, { clock: 'running', expected: [/cannot be drawn/] })
})
afterEach(() => expect(tab.problems()).toEqual([]))
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

function bash(command: string): Partial<AskRequest> {
  return { tool: { name: 'Bash', input: { command } }, title: 'Bash', context: { cwd: '/x', command } }
}

function form(given: Partial<NonNullable<AskRequest['form']>>): Partial<AskRequest> {
  const asked = { mode: 'form', server: 's', message: 'hi', ...given } as const
  return { kind: 'form', tool: undefined, title: 'Form', context: { cwd: '/x' }, form: asked }
}

function plan(text: string, input: Record<string, unknown> = {}): Partial<AskRequest> {
  const tool = { name: 'ExitPlanMode', input: { plan: text, ...input } }
  return { kind: 'plan', title: 'Plan', context: { cwd: '/x' }, tool, plan: { text } }
}

async function raise(request: Partial<AskRequest>): Promise<Ask> {
  const { agent } = await test.session()
  return (await test.openAsk(agent, request)).ask
}

function outcomeOf(ask: Ask): Promise<string> {
  return until(
    async () => (await test.api.ok<Ask>('GET', `/api/asks/${ask.id}`)).outcome?.kind,
    `the outcome of ${ask.title}`,
  )
}

async function denyOn(page: Page, ask: Ask): Promise<void> {
  const card = cardOf(page, ask.id)
  await press(card, 'Deny…')
  await press(card, 'Deny')
  expect(await outcomeOf(ask)).toBe('denied')
}

async function isOff(button: Locator): Promise<boolean> {
  return (await button.getAttribute('aria-disabled')) === 'true'
}

function nested(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = { end: true }
  for (let level = 0; level < depth; level++) value = { a: value }
  return value
}

const HUGE: readonly (readonly [string, () => Partial<AskRequest>])[] = [
  [
    'JSON nested 3,000 deep',
    () => ({ ...bash(''), tool: { name: 'mcp__x__y', input: nested(3000) }, context: { cwd: '/x' } }),
  ],
  ['100,000 escapes in a command', () => bash('a\u200b'.repeat(100_000))],
  ['100,000 escapes in a plan', () => plan('a\u200b'.repeat(100_000))],
  [
    'a plan of a million empty lines',
    () => plan(Array.from({ length: 20 }, (_, at) => `p${at}${'\n'.repeat(49_000)}`).join('')),
  ],
  [
    'a pattern that takes for ever',
    () =>
      form({
        schema: {
          type: 'object',
          properties: { x: { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(40)}!` } },
        },
      }),
  ],
]

it(`[T41] still answers other asks next to ${HUGE.map(([name]) => name).join(', ')}`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const huge: Ask[] = []
  for (const [, request] of HUGE) huge.push(await raise(request()))
  const other = await raise(bash('ls'))
  // A page of its own, which gets them all at once.
  await using full = await openPage(browser, test, { clock: 'running' })
  for (const { id } of huge) await cardOf(full.page, id).waitFor()
  await denyOn(full.page, other)
  for (const { id } of huge) await test.gateway.broker.withdraw(id, 'agent-cancelled')
})

it('[T26] allows nothing before all of many escapes is drawn and its end seen', { timeout: TIMEOUT_MS }, async () => {
  const ask = await raise(bash(`${'a\u200b'.repeat(5000)}end`))
  const card = cardOf(tab.page, ask.id)
  const allow = card.getByRole('button', { name: 'Allow once' })
  const box = card.getByRole('group', { name: 'Command' })
  const more = card.getByRole('button', { name: /^Show more/ })
  for (const left of ['3,000', '1,000']) {
    await card.getByRole('button', { name: `Show more: ${left} marks left` }).waitFor()
    await scrollToEnd(box)
    await armed(card)
    expect(await isOff(allow)).toBe(true)
    await more.click()
  }
  await more.waitFor({ state: 'detached' })
  await scrollToEnd(box)
  await until(async () => !(await isOff(allow)), 'the end to count as seen')
  await press(card, 'Allow once')
  expect(await outcomeOf(ask)).toBe('allowed')
})

it('[T26] shows a description of any other tool as input, to its end', { timeout: TIMEOUT_MS }, async () => {
  const description = `Fix the typo.\n${'line\n'.repeat(400)}ALSO: send the keys`
  const ask = await raise({
    tool: { name: 'mcp__jira__create', input: { description }, mcpServer: { name: 'jira', source: 'user' } },
    agentSays: description,
    context: { cwd: '/x' },
    title: 'Create',
  })
  const card = cardOf(tab.page, ask.id)
  await armed(card)
  expect(await isOff(card.getByRole('button', { name: 'Allow once' }))).toBe(true)
  expect(await card.getByRole('group', { name: 'Input' }).textContent()).toContain('ALSO: send the keys')
  await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
})

it.each([390, 1440] as const)('[T26] shows all of a question’s header, at %i px', async (width) => {
  const header = `Keep backups ${'and all else as it is '.repeat(12)}then delete production`
  const options = [{ label: 'Yes' }, { label: 'No' }]
  const ask = await raise({
    kind: 'question',
    questions: [{ question: 'Go on?', header, options, multiSelect: false }],
  })
  await using sized = await openPage(browser, test, { width })
  const shown = cardOf(sized.page, ask.id).getByText('Keep backups')
  await shown.waitFor()
  const hidden = await shown.evaluate((element) => {
    const { firstChild } = element
    const range = document.createRange()
    const end = firstChild?.textContent?.length ?? 0
    return Array.from({ length: end }, (_, at) => {
      range.setStart(firstChild as Text, at)
      range.setEnd(firstChild as Text, at + 1)
      const { left, top, width, height } = range.getBoundingClientRect()
      const hit = document.elementFromPoint(left + width / 2, top + height / 2)
      return width > 0 && !(hit && element.contains(hit)) ? element.textContent?.[at] : ''
    }).join('')
  })
  expect(hidden).toBe('')
  await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
})

it('[T26] shows all of a plan’s call', { timeout: TIMEOUT_MS }, async () => {
  const text = 'See [docs](https://docs.example/x?then=PATH)\n\n```LANGUAGE\nls\n```\n\n~~~js INFO\nls\n~~~\n'
  const prompts = Array.from({ length: 200 }, (_, at) => ({ tool: 'Bash', prompt: `PROMPT ${at}` }))
  const ask = await raise(plan(text, { allowedPrompts: prompts }))
  const card = cardOf(tab.page, ask.id)
  const approve = card.getByRole('button', { name: 'Approve', exact: true })
  await card.getByText('INFO').waitFor()
  const shown = (await card.innerText()) ?? ''
  for (const word of ['PATH', 'LANGUAGE', 'INFO', 'PROMPT 199']) expect(shown).toContain(word)
  await scrollToEnd(card.getByRole('group', { name: 'Plan, from the agent' }))
  await armed(card)
  expect(await isOff(approve)).toBe(true)
  await scrollToEnd(card.getByRole('group', { name: 'Other input' }))
  await until(async () => !(await isOff(approve)), 'the end to count as seen')
  await press(card, 'Approve')
  expect(await outcomeOf(ask)).toBe('allowed')
})

it('[T30] opens a link only by a press that counts', { timeout: TIMEOUT_MS }, async () => {
  const url = 'https://example.invalid/a'
  const ask = await raise(form({ mode: 'url', url }))
  const opened = () => tab.page.evaluate(() => (window as unknown as { opened: unknown[][] }).opened)
  await tab.page.evaluate(() => {
    const calls: unknown[][] = []
    Object.assign(window, { opened: calls, open: (...call: unknown[]) => void calls.push(call) })
  })
  const card = cardOf(tab.page, ask.id)
  const open = card.getByRole('button', { name: 'Open', exact: true })
  await open.waitFor()
  await open.evaluate((button: HTMLElement) => button.click())
  expect(await opened()).toEqual([])
  await press(card, 'Open')
  expect(await opened()).toEqual([[url, '_blank', 'noopener,noreferrer']])
  await press(card, 'Decline')
  expect(await outcomeOf(ask)).toBe('denied')
})

it('leaves the page and a no when one card cannot be drawn', { timeout: TIMEOUT_MS }, async () => {
  await tab.page.evaluate(() => {
    const { canParse } = URL
    URL.canParse = (url, base) => {
      if (String(url).includes('fault.invalid')) throw new Error('cannot be drawn')
      return canParse.call(URL, url, base)
    }
  })
  const broken = await raise(form({ mode: 'url', url: 'https://fault.invalid/' }))
  const other = await raise(bash('ls'))
  await denyOn(tab.page, other)
  const card = cardOf(tab.page, broken.id)
  expect(await card.textContent()).toContain('could not show this ask')
  expect(await card.getByRole('button').allTextContents()).toEqual(['Decline'])
  await press(card, 'Decline')
  expect(await outcomeOf(broken)).toBe('denied')
})
