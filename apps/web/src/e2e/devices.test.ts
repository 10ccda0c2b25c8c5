import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
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

/** A refused login is a failed request. */
const REFUSED = [/status of 4(01|22)/]

describe.each([1440, 390] as const)('devices at %i px', (width) => {
  it('says which are browsers and which are tokens, and renames them', async () => {
    const { device } = await test.credential({ role: 'approver' })
    await using tab = await openPage(browser, test, { width, path: '/devices', reducedMotion: true })
    const { page } = tab
    const line = (text: string) => page.getByRole('listitem').filter({ hasText: text })
    await line('HOLDPOINT_TOKEN').getByText('token that the gateway was started with').waitFor()
    expect(await line('HOLDPOINT_TOKEN').getByRole('button').count()).toBe(0)
    await line('this one').getByText('browser').first().waitFor()
    await line('approver for tests').getByText('token of a program').first().waitFor()
    await screenshots(page, 'devices')
    await page.getByRole('button', { name: 'Rename approver for tests' }).first().click()
    await page.getByRole('dialog', { name: 'Rename this device' }).waitFor()
    await page.keyboard.press('Escape')
    expect(await focused(page)).toBe('button Rename approver for tests')
    await page.keyboard.press('Enter')
    await page.keyboard.type(`Build server ${width}`)
    await screenshots(page, 'rename-device')
    await page.keyboard.press('Enter')
    await line(`Build server ${width}`).waitFor()
    expect(test.gateway.devices.current(device.id)?.name).toBe(`Build server ${width}`)
  })

  it('tells when a pairing has worked, and with which device', async () => {
    await using tab = await openPage(browser, test, { width, path: '/devices', reducedMotion: true })
    const { page } = tab
    await page.getByRole('button', { name: 'Pair a device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pair a device' })
    const hasFocus = () => dialog.evaluate((element) => element.contains(document.activeElement))
    await dialog.getByRole('button', { name: 'Show the code' }).focus()
    await page.keyboard.press('Enter')
    const url = await dialog.locator('code').filter({ hasText: '#login=' }).innerText()
    await dialog.getByText('Waiting for the device').waitFor()
    expect(await hasFocus()).toBe(true)
    await dialog.getByRole('button', { name: 'Close' }).last().focus()
    await screenshots(page, 'pairing')
    const code = url.split('#login=')[1]
    await test.api.ok('POST', '/api/login', { code, name: 'Safari on iPhone', bearer: true })
    await dialog.getByText('Safari on iPhone is paired, as approver.').waitFor()
    expect(await dialog.getByRole('status').textContent()).toBe('Safari on iPhone is paired')
    await expect.poll(hasFocus).toBe(true)
    await screenshots(page, 'paired')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Safari on iPhone' }).first().waitFor()
  })

  it('asks before it logs out, and lets any browser rename itself', async () => {
    await using tab = await openPage(browser, test, { width, path: '/settings', role: 'viewer', expected: REFUSED })
    const { page } = tab
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Tablet in the kitchen')
    await page.keyboard.press('Enter')
    await page.getByText('Tablet in the kitchen, viewer.').waitFor()
    await page.getByRole('button', { name: 'Log out…' }).click()
    expect(await focused(page)).toBe('button Stay logged in')
    await screenshots(page, 'log-out')
    await page.getByRole('button', { name: 'Stay logged in' }).click()
    await page.getByText('Tablet in the kitchen, viewer.').waitFor()
    await page.getByRole('button', { name: 'Log out…' }).click()
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByText('This browser is not logged in.').waitFor()
  })

  it('says what to do with a link that was used or is old', async () => {
    const { code } = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'viewer' })
    await test.api.ok('POST', '/api/login', { code, bearer: true })
    await using tab = await openPage(browser, test, {
      width,
      role: undefined,
      path: `/#login=${code}`,
      expected: REFUSED,
    })
    const { page } = tab
    await page.getByText('This link does not work.').waitFor()
    expect(await page.getByRole('alert').innerText()).toContain('Get a new one')
    await page.getByText('Press Enter in the terminal where Holdpoint runs').waitFor()
    await screenshots(page, 'spent-link')
  })

  it('says what to do with a link that is not whole, and keeps none of it in the address', async () => {
    await using tab = await openPage(browser, test, { width, role: undefined, path: '/', expected: REFUSED })
    const { page } = tab
    for (const path of ['/login/abcdefghijk', '/login/abcdefghijk#login=', '/#login=ab&cd']) {
      await page.goto('about:blank')
      await page.goto(test.gateway.url + path)
      await page.getByText('This link does not work.').waitFor()
      expect(page.url()).toBe(`${test.gateway.url}/`)
    }
  })

  it('takes a pasted link in an app on the home screen, which has no address bar', async () => {
    await using tab = await openPage(browser, test, { width, role: undefined, expected: REFUSED })
    const { page } = tab
    await page.getByText('This browser is not logged in.').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
    await page.addInitScript(() => {
      const real = window.matchMedia.bind(window)
      window.matchMedia = (query) => real(query === '(display-mode: standalone)' ? 'all' : query)
    })
    await page.reload()
    const next = await test.api.ok<{ url: string }>('POST', '/api/pairings', { role: 'viewer' })
    await page.getByLabel('Paste the login link here').fill(next.url)
    await screenshots(page, 'pasted-link')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
    expect(page.url()).not.toContain('login')
  })
})
