import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, press } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { command } from '@holdpoint/testing/browser/populated-gateway'
import { pickInSessionMenu } from '@holdpoint/testing/browser/session-menu'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser, Page } from 'playwright-core'
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

/** Notes in each frame what moves, from the start of each document on. */
function noteMotion() {
  const noted = new Set<string>()
  Object.assign(window, { noted })
  function nameOf(animation: Animation): string {
    const { target, pseudoElement } = animation.effect as KeyframeEffect
    const what =
      animation instanceof CSSTransition
        ? `transition of ${animation.transitionProperty}`
        : animation instanceof CSSAnimation
          ? `animation ${animation.animationName}`
          : 'script'
    return `${what} on <${target?.localName} class="${target?.className}">${pseudoElement ?? ''}`
  }
  function look() {
    for (const animation of document.getAnimations()) noted.add(nameOf(animation))
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

const noted = (page: Page) => page.evaluate(() => [...(window as unknown as { noted: Set<string> }).noted])

/** A little of everything that could move: cards come and go, dialogs and folds open, text streams, buttons wait. */
async function flow(reducedMotion: boolean): Promise<string[]> {
  const { session, agent } = await test.session({ prompt: 'Go.' })
  await using tab = await openPage(browser, test, { reducedMotion, path: '/api/health' })
  const { page } = tab
  await page.addInitScript(noteMotion)
  await page.goto(`${test.api.url}/`)
  await page.getByText('Running now').waitFor()

  const { ask: first } = await test.openAsk(agent, command('npm ci'))
  await press(cardOf(page, first.id), 'Allow once')
  await cardOf(page, first.id).getByText('Allowed once').waitFor()
  const { ask: second } = await test.openAsk(agent, command('npm test'))
  await cardOf(page, second.id).getByRole('button', { name: 'Deny…' }).hover()
  await press(cardOf(page, second.id), 'Deny…')
  await press(cardOf(page, second.id), 'Deny')
  await cardOf(page, second.id).getByText('Denied').waitFor()
  await cardOf(page, second.id).locator('summary').click()

  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')

  await page
    .getByRole('link', { name: new RegExp(session.title) })
    .first()
    .click()
  const tool = { type: 'tool-call', toolUseId: `t-${session.id}`, name: 'Read', input: { file_path: 'a.ts' } } as const
  await agent.start.emit([{ type: 'item', item: tool }])
  await page.getByRole('button', { name: /Read/ }).click()
  agent.start.live({ type: 'text-delta', text: 'I am reading' })
  await page.getByText('I am reading').waitFor()
  await pickInSessionMenu(page, 'About this session')
  await page.getByRole('dialog', { name: 'About this session' }).waitFor()
  return await noted(page)
}

it('moves nothing for a person who wants no motion', async () => {
  expect(await flow(true)).toEqual([])
})

it('moves a little for everybody else, which is what the test above would notice', async () => {
  const moved = (await flow(false)).join('\n')
  expect(moved).toContain('animation hp-caret')
  expect(moved).toContain('transition of')
  expect(moved).toContain('script on')
})
