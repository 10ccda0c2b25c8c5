import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { expect, it, onTestFinished } from 'vitest'

const BUILT = fileURLToPath(new URL('../../../../dist/web', import.meta.url))

/** The same app as if it had been built from other sources: its first script has another name. */
function nextBuild(folder: string): string {
  const web = join(folder, 'web')
  cpSync(BUILT, web, { recursive: true })
  const index = readFileSync(join(web, 'index.html'), 'utf8')
  const script = /src="(\/assets\/index-[^"]+\.js)"/.exec(index)?.[1] ?? ''
  expect(script).not.toBe('')
  cpSync(join(web, script), join(web, '/assets/index-another.js'))
  writeFileSync(join(web, 'index.html'), index.replaceAll(script, '/assets/index-another.js'))
  return web
}

it('F53 keeps an open ask over an upgrade, under its id, and tells the page that was open before to reload', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hp-upgrade-'))
  const browser = await launchChromium()
  onTestFinished(async () => {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  })
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
