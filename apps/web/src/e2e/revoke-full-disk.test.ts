import { StoreFault } from '@holdpoint/core/store'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

it('T12 says of a device revoked on a full disk that it is locked out and not yet removed, until it is', async () => {
  const store = createMemoryStore()
  const disk = { isFull: false }
  const remove = store.records.remove.bind(store.records)
  vi.spyOn(store.records, 'remove').mockImplementation((...given) =>
    disk.isFull ? Promise.reject(new StoreFault('full', 'no space')) : remove(...given),
  )
  await using test = await startAppGateway({ store })
  await test.credential({ role: 'viewer' })
  await using tab = await openPage(browser, test, { width: 390, path: '/devices', expected: [/status of 503/] })
  const { page } = tab
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  disk.isFull = true
  await button('Revoke viewer for tests').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await dialog.getByRole('heading', { name: 'Locked out, but not yet removed' }).waitFor()
  expect(await dialog.getByRole('button').allInnerTexts()).not.toContain('Keep it')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('free some disk space before you restart Holdpoint, or it can log in again').waitFor()

  await button('Try again to remove viewer for tests').click()
  await page.getByText('Still not removed').waitFor()
  disk.isFull = false
  await button('Try again to remove viewer for tests').click()
  await page.getByText('viewer for tests').waitFor({ state: 'detached' })
})
