import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startBuiltGateway } from '../built-gateway.ts'
import { until } from '../until.ts'
import { launchChromium } from './chromium.ts'
import { openPage } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

it('opens the app with the link of the ready line, logged in, and leaves no code in the address', async () => {
  await using gateway = await startBuiltGateway()
  await using opened = await openPage(browser, gateway, { role: undefined, path: `/#login=${gateway.loginCode}` })
  const { page } = opened
  const devices = async () => (await gateway.api.ok<{ devices: { role: string }[] }>('GET', '/api/devices')).devices
  await until(async () => (await devices()).some(({ role }) => role === 'owner'), 'the login')
  const inside = page.getByRole('heading', { name: 'Welcome' })
  await inside.waitFor()
  expect(page.url()).toBe(`${gateway.url}/`)
  await page.reload()
  await inside.waitFor()
  expect(page.url()).not.toContain(gateway.loginCode)
  expect(await opened.context.cookies()).toEqual([])
})
