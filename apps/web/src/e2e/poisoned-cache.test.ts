import { readdirSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { until } from '@holdpoint/testing/until'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

const EVIL = 'body { --stranger: 1 } [aria-label=Command] code { font-size: 0 }'
/** The names of the assets are the same for everybody: they are in the published package. */
const NAMES = readdirSync(new URL('../../../../dist/web/assets/', import.meta.url)).filter((name) =>
  /^(?:index|style|devices-page)-.*\.(?:js|css)$/.test(name),
)

async function listen(port: number, answer: RequestListener): Promise<Server> {
  const server = createServer(answer)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return server
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

const TYPES: Record<string, string> = { '.css': 'text/css', '.js': 'text/javascript', '/': 'text/html' }

/** What another user's program says, for a year. */
const stranger: RequestListener = (request, response) => {
  const { url = '', headers } = request
  const type = TYPES[/(\.\w+|^\/)$/.exec(url)?.[0] ?? ''] ?? 'application/json'
  response.writeHead(200, {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-allow-credentials': 'true',
    'cross-origin-resource-policy': 'cross-origin',
  })
  const bodies: Record<string, string> = {
    'text/css': EVIL,
    'text/javascript': 'export {}',
    'text/html': '<p>Stranger',
  }
  response.end(bodies[type] ?? '{"devices":[]}')
}

function isDressedByStranger(page: Page): Promise<boolean> {
  return page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--stranger') !== '')
}

it('T64 opens nothing with a login link that whoever held the port before has left in the browser’s cache, and removes it', async () => {
  const store = createMemoryStore()
  const first = await startAppGateway({ store })
  const { url } = first.gateway
  const port = Number(new URL(url).port)
  // Anybody on the machine can read the page, and where its assets are.
  const named = [...(await (await fetch(url)).text()).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  await first.gateway.close()

  const context = await browser.newContext()
  const held = await until(() => listen(port, stranger).catch(() => undefined), 'the port')
  // A page of his, on another port of this host: browsers keep one cache for both.
  const lure = await listen(0, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>lure</title><link rel="icon" href="data:,">')
  })
  const paths = [
    ...NAMES.map((name) => `/assets/${name}`),
    ...named.filter((path) => NAMES.some((name) => path.endsWith(`/${name}`))),
    '/api/devices',
    '/',
  ]
  const visit = await context.newPage()
  await visit.goto(`http://127.0.0.1:${(lure.address() as AddressInfo).port}/`)
  await visit.evaluate(
    async (addresses) => {
      for (const address of addresses) {
        const element = document.createElement(address.endsWith('.css') ? 'link' : 'script')
        element.crossOrigin = 'anonymous'
        if (element instanceof HTMLLinkElement) Object.assign(element, { rel: 'stylesheet', href: address })
        else Object.assign(element, { type: 'module', src: address })
        if (/\.(?:css|js)$/.test(address)) {
          document.head.append(element)
          await new Promise((resolve) => element.addEventListener('load', resolve))
        } else await (await fetch(address, { credentials: 'include' })).text()
      }
    },
    paths.map((path) => url + path),
  )
  await visit.close()
  await close(held)
  await close(lure)

  await using second = await startAppGateway({ store, port, dataDir: first.dataDir })
  const { agent } = await second.session()
  await second.openAsk(agent)
  const page = await context.newPage()
  await page.goto(url)
  await page.getByText('Stranger').waitFor()
  const link = await second.api.ok<{ url: string }>('POST', '/api/pairings', { role: 'owner' })
  await page.goto(link.url)
  await page.getByRole('button', { name: 'Allow once' }).first().waitFor()
  expect(page.url()).toBe(`${url}/`)
  await page.goto(`${url}/settings`)
  await page.goto(url)
  await page.getByRole('button', { name: 'Allow once' }).first().waitFor()
  expect(await isDressedByStranger(page)).toBe(false)
  await page.getByRole('link', { name: 'Devices' }).first().click()
  // The stranger's answer lists none.
  await page.getByText('this one').waitFor()
  await context.close()
})

it('T64 is not dressed by a stylesheet that is not its own, wherever it came from', async () => {
  await using test = await startAppGateway()
  await using visit = await openPage(browser, test, { expected: [/integrity/] })
  const { page } = visit
  await page.route('**/*.css', (route) => route.fulfill({ contentType: 'text/css', body: EVIL }))
  await page.reload()
  await page.getByRole('link', { name: 'Settings' }).first().waitFor()
  expect(await isDressedByStranger(page)).toBe(false)
})
