import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { launchWholeChromium } from '@holdpoint/testing/browser/whole-chromium'
import { startPushService } from '@holdpoint/testing/push-service'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { givePushService, lookAway, pushDelivery, shownNotifications } from './push-browser.ts'

const BUILT = fileURLToPath(new URL('../../../../dist/web', import.meta.url))

/** The same app as if it had been built from other sources: its first script has another name, its worker another text. */
function nextBuild(folder: string): string {
  const web = join(folder, 'web')
  cpSync(BUILT, web, { recursive: true })
  const index = readFileSync(join(web, 'index.html'), 'utf8')
  const script = /src="(\/assets\/index-[^"]+\.js)"/.exec(index)?.[1] ?? ''
  expect(script).not.toBe('')
  cpSync(join(web, script), join(web, '/assets/index-another.js'))
  writeFileSync(join(web, 'index.html'), index.replaceAll(script, '/assets/index-another.js'))
  for (const ending of ['br', 'gz']) rmSync(join(web, `worker.js.${ending}`), { force: true })
  appendFileSync(join(web, 'worker.js'), '\nglobalThis.testBuild = "another"\n')
  return web
}

/** A folder and a browser, until the test has ended. */
async function open(launch: () => Promise<Browser>) {
  const folder = mkdtempSync(join(tmpdir(), 'hp-upgrade-'))
  const browser = await launch()
  onTestFinished(async () => {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, browser }
}

/** Whether the worker of the next build runs, and none waits for its turn. */
async function hasNextWorker(page: Page): Promise<boolean> {
  const builds = await Promise.all(
    // One that has just been replaced cannot be asked any more.
    page
      .context()
      .serviceWorkers()
      .map((worker) => worker.evaluate('globalThis.testBuild').catch(() => undefined)),
  )
  const isSettled = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/')
    return registration?.active?.state === 'activated' && !registration.waiting && !registration.installing
  })
  return isSettled && builds.includes('another')
}

it('F53 keeps an open ask over an upgrade, under its id, and tells the page that was open before to reload', async () => {
  const { folder, browser } = await open(launchChromium)
  const store = createMemoryStore()
  const before = await startAppGateway({ store, dataDir: folder })
  const { agent } = await before.session()
  const { ask } = await before.openAsk(agent)
  const port = Number(new URL(before.gateway.url).port)
  const opened = await openPage(browser, before, { expected: [/./] })
  const { page } = opened
  const card = page.locator(`[data-ask-id="${ask.id}"]`)
  await card.waitFor()
  expect(await page.getByText('Holdpoint was updated.').count()).toBe(0)

  await before.gateway.close()
  await using after = await startAppGateway({ store, dataDir: folder, port, webFolder: nextBuild(folder) })
  await page.getByText('Holdpoint was updated.').waitFor()
  expect((await after.api.openAsks()).map(({ id }) => id)).toEqual([ask.id])
  await card.waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.locator('script[src$="/index-another.js"]').waitFor({ state: 'attached' })
  await card.waitFor()
  expect(await page.getByText('Holdpoint was updated.').count()).toBe(0)
  await page.context().close()
})

it('F53 tells a page with a worker to reload, which brings the new app and the new worker, and pushes go on', async () => {
  const { folder, browser } = await open(launchWholeChromium)
  const store = createMemoryStore()
  await using service = await startPushService()
  const notifyAllow = [service.place]
  const before = await startAppGateway({ store, dataDir: folder, notifyAllow })
  const origin = before.gateway.url
  const opened = await openPage(browser, before, { path: '/settings', expected: [/./] })
  const { page, context } = opened
  const subscription = service.subscribe()
  await givePushService(context, subscription, origin)
  await page.reload()
  await page.getByText('Notifications', { exact: true }).click()
  const subscribed = () => store.records.list('push-subscriptions')
  await until(async () => (await subscribed()).length === 1, 'the subscription')
  const deliver = await pushDelivery(page, origin)
  const isControlled = () => page.evaluate(() => navigator.serviceWorker.controller !== null)
  await until(isControlled, 'the worker to have the page')
  expect(await hasNextWorker(page)).toBe(false)
  expect(await page.getByText('Holdpoint was updated.').count()).toBe(0)

  await before.gateway.close()
  const next = { port: Number(new URL(origin).port), webFolder: nextBuild(folder) }
  await using after = await startAppGateway({ store, dataDir: folder, notifyAllow, ...next })
  await page.getByText('Holdpoint was updated.').waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.locator('script[src$="/index-another.js"]').waitFor({ state: 'attached' })
  await until(() => hasNextWorker(page), 'the new worker')
  await until(isControlled, 'the worker to have the new page')
  expect(await page.getByText('Holdpoint was updated.').count()).toBe(0)

  await lookAway(page)
  const { agent } = await after.session()
  const { ask } = await after.openAsk(agent)
  await deliver(await service.message(({ tag }) => tag === ask.id))
  await until(async () => (await shownNotifications(page)).some(({ tag }) => tag === ask.id), 'the notification')
  expect((await subscribed()).map(({ value }) => value)).toMatchObject([{ subscription }])
  await context.close()
})
