import type { AskRequest } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
let test: TestGateway
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

/** What must not be approved unseen. */
const PAYLOAD = 'EVILPAYLOAD'

function table(cells: readonly string[], head: (column: number) => string): string {
  const row = (texts: readonly string[]) => `|${texts.map((text) => ` ${text} `).join('|')}|\n`
  return row(cells.map((_, column) => head(column))) + row(cells.map(() => '---')) + row(cells)
}

function nested(depth: number, mark: string, text: string): string {
  return Array.from({ length: depth }, (_, level) => `${'  '.repeat(level)}${mark} ${level === depth - 1 ? text : 'a'}`)
    .join('\n')
    .concat('\n')
}

const empty = (count: number) => Array.from({ length: count }, () => '')
const words = (count: number, word: string) => Array.from({ length: count }, () => word)

const PLANS: Readonly<Record<string, string>> = {
  'a table of 40 empty columns': table(['fine', ...empty(40), PAYLOAD], () => ''),
  'a table of 40 columns of letters': table([...words(20, 'x'), PAYLOAD, ...words(20, 'x')], () => 'h'),
  'a table that squeezes its 12 columns': table([...words(11, 'some words'), PAYLOAD], () => 'head of it'),
  'a table from right to left': table(['אבג', ...empty(40), PAYLOAD], () => ''),
  'a table with a long word': table(['w'.repeat(3000), PAYLOAD], () => 'h'),
  'a list nested 18-fold': nested(18, '-', PAYLOAD),
  // As deep as leaves room for a letter or two on a phone.
  ...Object.fromEntries(
    [11, 12, 13, 14].map((depth) => [`a list nested ${depth}-fold, squeezed`, nested(depth, '-', PAYLOAD)]),
  ),
  'a list nested 38-fold': nested(38, '-', PAYLOAD),
  'a list from right to left nested 18-fold': nested(18, '- א', PAYLOAD),
  'a numbered list nested 18-fold': nested(18, '1.', PAYLOAD).replaceAll('  ', '   '),
  'a quote nested 35-fold': `${'> '.repeat(35)}${PAYLOAD}\n`,
  'quotes in lists': `${'> - '.repeat(12)}${PAYLOAD}\n`,
  'code in a deep list': `${nested(14, '-', 'code:')}\n${'  '.repeat(14)}\`\`\`\n${'  '.repeat(14)}${PAYLOAD}\n${'  '.repeat(14)}\`\`\`\n`,
  'a long word': `${'w'.repeat(5000)}${PAYLOAD}\n`,
  'a long inline code': `\`${'w'.repeat(2000)} ${PAYLOAD}\`\n`,
  'a long heading': `# ${'w'.repeat(500)} ${PAYLOAD}\n`,
  'spaces that do not break': `a${'\u00a0'.repeat(2000)}${PAYLOAD}\n`,
  'a code block of one long line': `\`\`\`\n${'w'.repeat(3000)} ${PAYLOAD}\n\`\`\`\n`,
}

function deep(depth: number): Record<string, unknown> {
  let value: Record<string, unknown> = { end: PAYLOAD }
  for (let level = 1; level < depth; level++) value = { a: value }
  return value
}

function diffAt(line: number): string {
  return `--- a.ts\n+++ a.ts\n@@ -${line},1 +${line},1 @@\n-one\n+${'w'.repeat(400)} ${PAYLOAD}\n`
}

const path = '/x/a.ts'
const APPROVALS: Readonly<Record<string, Partial<AskRequest>>> = {
  'a field with a long name': {
    tool: { name: 'Bash', input: { command: 'ls', ['k'.repeat(400)]: PAYLOAD } },
    context: { cwd: '/x', command: 'ls' },
  },
  'JSON 16 deep': { tool: { name: 'mcp__a__b', input: deep(16) }, context: { cwd: '/x' } },
  'JSON 60 deep': { tool: { name: 'mcp__a__b', input: deep(60) }, context: { cwd: '/x' } },
  'JSON with a long name': {
    tool: { name: 'mcp__a__b', input: { ['k'.repeat(400)]: PAYLOAD } },
    context: { cwd: '/x' },
  },
  'a diff far down a file': {
    tool: { name: 'Edit', input: { file_path: path, old_string: 'one', new_string: 'two' } },
    context: { cwd: '/x', filePath: path, diff: diffAt(12_345_678) },
  },
  'a long command': {
    tool: { name: 'Bash', input: { command: `${'w'.repeat(2000)}${PAYLOAD}` } },
    context: { cwd: '/x', command: `${'w'.repeat(2000)}${PAYLOAD}` },
  },
  'a long address': {
    tool: { name: 'WebFetch', input: { url: `https://a.example/${'w'.repeat(500)}${PAYLOAD}` } },
    context: { cwd: '/x', url: `https://a.example/${'w'.repeat(500)}${PAYLOAD}` },
  },
}

function requestOf(name: string): Partial<AskRequest> {
  const text = PLANS[name]
  if (text === undefined) return { title: name, ...APPROVALS[name] }
  const tool = { name: 'ExitPlanMode', input: { plan: text } }
  return { kind: 'plan', title: name, context: { cwd: '/x' }, tool, plan: { text } }
}

/** Scrolls down to the end of every box of a card, and nowhere sideways. */
async function readDown(card: Locator): Promise<void> {
  await card.evaluate(async (element) => {
    for (const box of element.querySelectorAll<HTMLElement>('[role="group"]')) {
      if (box.getAttribute('aria-label') === 'Table') continue
      box.scrollTop = box.scrollHeight
      box.lastElementChild?.scrollIntoView({ block: 'center', inline: 'nearest' })
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
}

/** What a person sees of the payload after scrolling down alone: each letter that is really on top where it stands. */
async function seenOf(card: Locator, payload: string) {
  return card.evaluate((element, word) => {
    const boxes = [...element.querySelectorAll('[role="group"]')]
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    let seen = ''
    let lines = 0
    for (let text = texts.nextNode() as Text | null; text; text = texts.nextNode() as Text | null) {
      const at = text.data.indexOf(word)
      if (at < 0 || !boxes.some((box) => box.contains(text))) continue
      const tops = new Set<number>()
      seen = ''
      for (let letter = 0; letter < word.length; letter++) {
        const range = document.createRange()
        range.setStart(text, at + letter)
        range.setEnd(text, at + letter + 1)
        const before = range.getBoundingClientRect()
        for (let up = text.parentElement; up; up = up.parentElement) {
          const box = up.getBoundingClientRect()
          if (up.scrollHeight > up.clientHeight + 1) up.scrollTop += before.top - box.top - up.clientHeight / 2
          up.scrollLeft = 0
        }
        const { left, top, width, height } = range.getBoundingClientRect()
        const hit = document.elementFromPoint(left + width / 2, top + height / 2)
        if (hit && (hit === text.parentElement || hit.contains(text))) seen += text.data[at + letter]
        tops.add(Math.round(range.getBoundingClientRect().top + (text.parentElement?.offsetParent?.scrollTop ?? 0)))
      }
      lines = tops.size
      if (seen === word) return { seen, lines }
    }
    return { seen, lines }
  }, payload)
}

const NAMES = [...Object.keys(PLANS), ...Object.keys(APPROVALS)]

const WINDOWS: readonly { readonly width: 390 | 1440; readonly narrowed?: number }[] = [
  { width: 390 },
  { width: 1440 },
  ...(LONG ? [{ width: 390, narrowed: 260 } as const] : []),
]

it.each(WINDOWS)(
  '[T73] approves nothing that was out of sight at a side: $width px',
  {
    timeout: TIMEOUT_MS * 2,
  },
  async ({ width, narrowed }) => {
    const { agent, session } = await test.session()
    await using tab = await openPage(browser, test, { width, reducedMotion: true, path: `/sessions/${session.id}` })
    if (narrowed !== undefined) await tab.page.setViewportSize({ width: narrowed, height: 844 })
    const hidden: string[] = []
    let approvable = 0
    for (const name of NAMES) {
      const { ask } = await test.openAsk(agent, requestOf(name))
      const card = cardOf(tab.page, ask.id)
      const yes = ask.kind === 'plan' ? 'Approve' : 'Allow once'
      const allow = card.getByRole('button', { name: yes, exact: true })
      await allow.waitFor()
      const mayBeAllowed = async () => (await allow.getAttribute('aria-disabled')) === null
      const isTooWide = async () => (await card.getByText('make this window wider').count()) > 0
      await until(async () => {
        await readDown(card)
        return (await mayBeAllowed()) || (await isTooWide())
      }, `${name} to be read`)
      if (await mayBeAllowed()) {
        approvable++
        const { seen, lines } = await seenOf(card, PAYLOAD)
        // In more lines than these it is a strip of single letters.
        if (seen !== PAYLOAD || lines > 4) hidden.push(`${name}: "${seen}" in ${lines} lines`)
      }
      await test.gateway.broker.withdraw(ask.id, 'agent-cancelled')
      await until(async () => (await card.getByRole('button').count()) === 0, 'the card to go')
    }
    expect(hidden).toEqual([])
    // None is kept from being approved by its own layout, where there is room for a few words.
    if (narrowed === undefined) expect(approvable).toBe(NAMES.length)
    report(`T73: ${approvable} of ${NAMES.length} could be approved at ${narrowed ?? width} px`)
  },
)
