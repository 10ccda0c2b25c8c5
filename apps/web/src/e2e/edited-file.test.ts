import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { focused } from '@holdpoint/testing/browser/focus'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let test: TestGateway
let browser: Browser
beforeAll(async () => {
  ;[test, browser] = await Promise.all([startAppGateway(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await test[Symbol.asyncDispose]()
})

const PATH = '/x/greet.js'

function added(content: string): string {
  const lines = content.split('\n').slice(0, -1)
  return `--- /dev/null\n+++ ${PATH}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`
}

describe.each([1440, 390] as const)('[I6] a file that is edited before it is written, at %i px', (width) => {
  async function edit(content: string, change: (card: Locator) => Promise<void>) {
    const { agent, session } = await test.session()
    await using tab = await openPage(browser, test, { width, path: `/sessions/${session.id}` })
    const input = { file_path: PATH, content }
    const diff = added(content)
    const { ask, outcome } = await test.openAsk(agent, {
      tool: { name: 'Write', input },
      display: callDisplay({ name: 'Write', input, diff }),
      context: { cwd: test.dataDir, filePath: PATH, diff },
    })
    const card = cardOf(tab.page, ask.id)
    if (width === 390) {
      await card.getByRole('button', { name: 'More…' }).click()
      await tab.page.getByRole('button', { name: 'Edit…' }).click()
    } else await card.getByRole('button', { name: 'Edit', exact: true }).click()
    await change(card)
    await press(card, 'Allow with changes')
    return (await outcome).answer?.updatedInput
  }

  it('is a text with its real lines, in view when it opens', async () => {
    const content = '\n  const a = "b"\n\nexport {}\n'
    const updated = await edit(content, async (card) => {
      const text = card.getByLabel('Your version of the file')
      expect(await text.inputValue()).toBe(content)
      expect(await isInView(text)).toBe(true)
      await expect.poll(() => focused(card.page())).toBe('textarea Your version of the file')
      expect(await card.getByRole('button', { name: 'Allow with changes' }).getAttribute('aria-disabled')).toBe('true')
      await expect.poll(() => isInView(card.getByRole('button', { name: 'Allow with changes' }))).toBe(true)
      await screenshots(card.page(), 'edit-file')
      await text.fill('\nconst c = 1\n\n')
      await screenshots(card.page(), 'edited-file')
      await text.fill('\n'.repeat(20))
      const allow = card.getByRole('button', { name: 'Allow with changes' })
      await scrollTo(card.getByText('your edit', { exact: true }), allow)
      await screenshots(card.page(), 'edited-file-below')
      expect(await isInView(allow)).toBe(true)
      await text.fill('\nconst c = 1\n\n')
    })
    expect(updated).toEqual({ file_path: PATH, content: '\nconst c = 1\n\n' })
  })

  it('keeps what a text field cannot hold, and says so', async () => {
    const content = 'one\r\ntwo\u0000\u202e\r\nthree'
    const updated = await edit(content, async (card) => {
      await card.getByText('A text field cannot hold some characters of this text.').waitFor()
      await screenshots(card.page(), 'edit-controls')
      const text = card.getByLabel('Your version of the file')
      await text.fill((await text.inputValue()).replace('two', '2'))
    })
    expect(updated).toEqual({ file_path: PATH, content: content.replace('two', '2') })
  })

  it('is raw JSON when wanted; text again only while nothing else was changed', async () => {
    const updated = await edit('one\n', async (card) => {
      await card.getByLabel('Your version of the file').fill('two\n')
      await card.getByRole('button', { name: 'Raw JSON' }).click()
      const json = card.getByLabel('Your version of the input')
      expect(await json.inputValue()).toBe(JSON.stringify({ file_path: PATH, content: 'two\n' }, null, 2))
      await json.fill(JSON.stringify({ file_path: PATH, content: 'three\n', mode: 'x' }))
      const asText = card.getByRole('button', { name: 'Edit as text' })
      expect(await asText.getAttribute('aria-disabled')).toBe('true')
      await screenshots(card.page(), 'edit-json')
      await json.fill(JSON.stringify({ file_path: PATH, content: 'three\n' }))
      await asText.click()
      const text = card.getByLabel('Your version of the file')
      expect(await text.inputValue()).toBe('three\n')
      await text.fill('three\nfour')
    })
    expect(updated).toEqual({ file_path: PATH, content: 'three\nfour' })
  })
})

/** Scrolls until something is where the other is that stays. */
async function scrollTo(moved: Locator, stays: Locator): Promise<void> {
  const { y = 0 } = (await stays.boundingBox()) ?? {}
  await moved.evaluate((node, top) => {
    for (let box = node.parentElement; box; box = box.parentElement) {
      box.scrollTop += node.getBoundingClientRect().top - top
    }
  }, y)
  const { y: at = 0, height = 0 } = (await moved.boundingBox()) ?? {}
  expect(Math.abs(at - y)).toBeLessThan(height)
}

function isInView(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { left, top, width, height } = node.getBoundingClientRect()
    return node.contains(document.elementFromPoint(left + width / 2, top + Math.min(height - 4, height / 2)))
  })
}
