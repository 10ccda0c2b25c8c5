import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { focused } from '@holdpoint/testing/browser/focus'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { screenshots } from '@holdpoint/testing/browser/screenshot'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser } from 'playwright-core'
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

const PATH = '/x/list.ts'
const LINES = 700
const DIFF = `--- ${PATH}\n+++ ${PATH}\n@@ -1,${LINES} +1,${LINES} @@\n${Array.from(
  { length: LINES },
  // Lines that wrap are higher than what is not laid out yet is taken for.
  (_, line) => `-const a${line} = 1\n+const a${line} = 2 // ${'words '.repeat(line % 40)}\n`,
).join('')}`

describe.each([1440, 390] as const)('a long diff at %i px', (width) => {
  async function open(place: 'inbox' | 'session') {
    const { agent, session } = await test.session()
    const raised = await test.openAsk(agent, {
      tool: { name: 'Edit', input: { file_path: PATH } },
      title: 'Edit list.ts',
      context: { cwd: '/x', filePath: PATH, diff: DIFF },
    })
    const path = place === 'inbox' ? '/' : `/sessions/${session.id}`
    const tab = await openPage(browser, test, { width, path, reducedMotion: true })
    const card = cardOf(tab.page, raised.ask.id)
    await card.waitFor()
    const allow = card.getByRole('button', { name: 'Allow once' })
    return { ...tab, ...raised, card, allow }
  }

  it.each(['inbox', 'session'] as const)(
    'says why it cannot be allowed yet, and jumps to its end: %s',
    async (place) => {
      await using tab = await open(place)
      const { page, card, allow, outcome } = tab
      const why = await allow.evaluate(
        (button) => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent,
      )
      expect(why).toBe('Scroll to the end to allow')
      await card.getByText('Scroll to the end to allow').filter({ visible: true }).waitFor()
      await screenshots(page, `long-diff-${place}`)
      // One button says it and does it; the content says of itself that it was not all seen.
      await card.getByText('Not all seen yet', { exact: true }).waitFor()
      expect(await card.getByText('Jump to end').filter({ visible: true }).count()).toBe(0)
      await card.getByRole('button', { name: 'Scroll to the end to allow' }).click()
      await card.getByText('Seen to the end').waitFor()
      expect(await focused(page)).toBe(`div Changes to ${PATH}`)
      await press(card, 'Allow once')
      expect(await outcome).toMatchObject({ kind: 'allowed' })
    },
  )

  it('is read over the whole window, which counts, and gives the focus back', async () => {
    await using tab = await open('session')
    const { page, card, allow } = tab
    await card.getByRole('button', { name: 'Full screen' }).click()
    const dialog = page.getByRole('dialog', { name: `Changes to ${PATH}` })
    const size = await dialog.boundingBox()
    expect([size?.width, size?.height]).toEqual([width, width === 390 ? 844 : 900])
    await screenshots(page, 'full-screen')
    expect(await dialog.getByRole('button', { name: 'Full screen' }).count()).toBe(0)
    // Behind it nothing decides, and nothing is answered from here.
    expect(await dialog.getByRole('button', { name: /Allow/ }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Jump to end' }).click()
    await dialog.getByText('Seen to the end').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('button Full screen')
    await card.getByText('Seen to the end').waitFor()
    expect(await allow.getAttribute('aria-disabled')).toBeNull()
  })
})
