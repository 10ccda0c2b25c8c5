import { readdirSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
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

/** What another user's program says, for a year. */
const stranger: RequestListener = (request, response) => {
  const { url = '' } = request
  const type = url.endsWith('.css') ? 'text/css' : url.endsWith('.js') ? 'text/javascript' : 'application/json'
  response.writeHead(200, {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  response.end(type === 'text/css' ? EVIL : type === 'text/javascript' ? 'export {}' : '{"devices":[]}')
}

function isDressedByStranger(page: Page): Promise<boolean> {
  return page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--stranger') !== '')
}

it('T64 asks for nothing that whoever held the port before has left in the browser’s cache', async () => {
  const store = createMemoryStore()
  const first = await startTestGateway({ store })
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
        } else await (await fetch(address)).text()
      }
    },
    paths.map((path) => url + path),
  )
  await visit.close()
  await close(held)
  await close(lure)

  await using second = await startTestGateway({ store, port, dataDir: first.dataDir })
  const { agent } = await second.session()
  await second.openAsk(agent)
  const { code } = await second.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  const page = await context.newPage()
  await page.goto(`${url}/#login=${code}`)
  await page.getByRole('button', { name: 'Allow once' }).first().waitFor()
  expect(await isDressedByStranger(page)).toBe(false)
  await page.getByRole('link', { name: 'Devices' }).first().click()
  // The stranger's answer lists none.
  await page.getByText('this one').waitFor()
  await context.close()
})

it('T64 is not dressed by a stylesheet that is not its own, wherever it came from', async () => {
  await using test = await startTestGateway()
  await using visit = await openPage(browser, test, { expected: [/integrity/] })
  const { page } = visit
  await page.route('**/*.css', (route) => route.fulfill({ contentType: 'text/css', body: EVIL }))
  await page.reload()
  await page.getByRole('link', { name: 'Settings' }).first().waitFor()
  expect(await isDressedByStranger(page)).toBe(false)
})
