import type { Ask } from '@holdpoint/schema/ask'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { cardOf, press, scrollToEnd } from '@holdpoint/testing/browser/cards'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { TIMEOUT_MS } from '@holdpoint/testing/long'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const SESSIONS = 15
const EACH = 4
const LENGTH = 900_000

it('F58 a page with 60 large asks opens, lists them, and shows and answers one', { timeout: TIMEOUT_MS }, async () => {
  const [test, browser] = await Promise.all([startAppGateway(), launchChromium()])
  for (let session = 0; session < SESSIONS; session++) {
    const { agent } = await test.session({ title: `Session ${session}` })
    for (let n = 0; n < EACH; n++) {
      const path = `/repo/${session}-${n}.txt`
      const input = { file_path: path, content: `${'line of text\n'.repeat(LENGTH / 13)}the end of ${path}` }
      agent
        .ask({
          tool: { name: 'Write', input },
          title: `Write: ${path}`,
          context: { cwd: '/work', filePath: path },
        })
        .catch(() => {})
    }
  }
  const asks = await until(async () => {
    const open = await test.api.openAsks()
    return open.length === SESSIONS * EACH && open
  }, 'all asks')
  let received = 0
  await using tab = await openPage(browser, test, { clock: 'running' })
  const { page } = tab
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      received += payload.length
    }),
  )
  await page.reload()
  await page.getByRole('button', { name: 'Show more (10)' }).click()
  for (const ask of asks) await cardOf(page, ask.id).waitFor({ state: 'attached' })
  expect(received).toBeGreaterThan(0)
  expect(received).toBeLessThan(500_000)

  const [first, second] = asks as [Ask, Ask]
  const card = cardOf(page, first.id)
  // Nothing of it is here yet, so nothing of it can be allowed.
  expect(await card.getByRole('button', { name: /^Allow/ }).count()).toBe(0)
  await card.getByRole('button', { name: 'Show all of it' }).click()
  const allow = card.getByRole('button', { name: 'Allow once' })
  await allow.waitFor()
  expect(await allow.getAttribute('aria-disabled')).toBe('true')
  const box = card.getByRole('group').first()
  await until(async () => {
    for (const more of await card.getByRole('button', { name: /^Show more/ }).all()) await more.click()
    await scrollToEnd(box)
    return (await allow.getAttribute('aria-disabled')) !== 'true'
  }, 'the end to count as seen')
  await press(card, 'Allow once')
  const outcome = async (id: string) => (await test.api.ok<Ask>('GET', `/api/asks/${id}`)).outcome?.kind
  expect(await until(() => outcome(first.id), 'the outcome')).toBe('allowed')

  // One that nobody has loaded can be refused.
  await press(cardOf(page, second.id), 'Deny')
  expect(await until(() => outcome(second.id), 'the outcome')).toBe('denied')
  await browser.close()
  await test[Symbol.asyncDispose]()
})
