import { createServer, type Server } from 'node:http'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const inside = (page: Page) => page.getByRole('link', { name: 'Settings' }).first()

/** Another user's program, at an address that leads here by one of our names. `undefined`: the machine has none such. */
async function startStranger(host: string, port: number) {
  const received: string[] = []
  const server: Server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers['x-holdpoint-secret'] ?? ''}`)
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>stranger</title><link rel="icon" href="data:,">')
  })
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({ host, port, ipv6Only: true }, () => resolve(true))
  })
  if (!isListening) return undefined
  return {
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Runs in a page: whatever its origin keeps. */
async function kept(): Promise<string> {
  const names = (await indexedDB.databases()).map(({ name }) => name)
  return JSON.stringify([names, { ...localStorage }, document.cookie])
}

it('T64 logs a page in at the address although it was opened by a name, so that the name’s origin keeps nothing', async () => {
  await using test = await startTestGateway()
  const { port } = new URL(test.gateway.url)
  const { code } = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  await using visit = await openPage(browser, test, { role: undefined, expected: [/status of 401/] })
  const page = await visit.context.newPage()
  // What is behind the # goes along.
  await page.goto(`http://localhost:${port}/settings#login=${code}`)
  await inside(page).waitFor()
  expect(page.url()).toBe(`${test.gateway.url}/settings`)

  const stranger = await startStranger('::1', Number(port))
  if (!stranger) return
  try {
    const theirs = await visit.context.newPage()
    await theirs.goto(`http://localhost:${port}/`)
    expect(await theirs.title()).toBe('stranger')
    expect(await theirs.evaluate(kept)).toBe('[[],{},""]')
    await page.reload()
    await inside(page).waitFor()
    expect(stranger.received.filter((line) => !line.startsWith('GET / '))).toEqual([])
  } finally {
    await stranger.close()
  }
})
