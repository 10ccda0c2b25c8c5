import { launchChromium } from '@holdpoint/testing/browser/chromium'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEmbedding, useTool } from './fixtures/embedding.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

it('offers nothing that only the program can do: no message, no new session, no resume', async () => {
  await using embedding = await startEmbedding()
  const { url, loginLink } = await embedding.holdpoint.listen({ port: 0 })
  const session = embedding.holdpoint.session({ cwd: embedding.cwd })
  await session.ready
  const page = await (await browser.newContext()).newPage()
  await page.goto(loginLink)
  // Logged in, and the login kept: a page that is left before that has none.
  await page.getByText('live', { exact: true }).first().waitFor()

  await page.goto(`${url}/sessions/${session.id}`)
  await page.getByText('This agent runs inside another program').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  const deciding = useTool(session)
  await page.locator('[data-ask-id]').waitFor()
  await session.end()
  await deciding
  await page.getByText('The program that it ran in ended it.').waitFor()
  expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0)

  await page.goto(`${url}/new`)
  await page.getByText('only that program starts agents').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  await page.context().close()
})
