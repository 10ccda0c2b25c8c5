import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Device } from '@holdpoint/schema/device'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import { report } from '@holdpoint/testing/long'
import { sendRaw, UPGRADE } from '@holdpoint/testing/raw-http'
import type { TestGateway } from '@holdpoint/testing/test-gateway'
import { everyUnsafeCall, somethingForEveryRoute } from '@holdpoint/testing/unsafe-calls'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** A program that serves pages on another port of the same host, as a development server does. */
async function startOtherServer() {
  const received: { path: string; headers: IncomingHttpHeaders }[] = []
  let plant: string[] = []
  const server: Server = createServer((request, response) => {
    received.push({ path: request.url ?? '', headers: request.headers })
    response.writeHead(200, { 'content-type': 'text/html', ...(plant.length > 0 && { 'set-cookie': plant }) })
    response.end('<!doctype html><title>other</title><link rel="icon" href="data:,">')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    plant: (cookies: string[]) => {
      plant = cookies
    },
    close: () => server.close(),
  }
}

let browser: Browser
let test: TestGateway
let other: Awaited<ReturnType<typeof startOtherServer>>
beforeAll(async () => {
  ;[test, browser, other] = await Promise.all([startAppGateway(), launchChromium(), startOtherServer()])
})
afterAll(async () => {
  other.close()
  await browser.close()
  await test[Symbol.asyncDispose]()
})

const inside = (page: Page) => page.getByRole('link', { name: 'Settings' }).first()
const REFUSED = [/status of 401/]
/** As the address bar and every page of another port have them. */
const PATHS = ['/', '/api/me', '/api/stream', '/ws/', '/event']

/** By a link, so that whatever a login sets is set. */
async function logIn(context: BrowserContext): Promise<Page> {
  const { code } = await test.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  const page = await context.newPage()
  await page.goto(`${test.api.url}/#login=${code}`)
  await inside(page).waitFor()
  return page
}

it('T64 gives a server on another port nothing that opens any route, stream or socket here', async () => {
  await using visit = await openPage(browser, test, { role: undefined, expected: REFUSED })
  // Closed again: what is shown there is noted as seen.
  await (await logIn(visit.context)).close()
  const page = await visit.context.newPage()
  for (const path of PATHS) await page.goto(other.url + path)
  // What a page there can send here comes back to it as a refusal, if at all.
  await page.evaluate(
    ({ url, paths }) =>
      Promise.all(paths.map((path) => fetch(url + path, { credentials: 'include', mode: 'no-cors' }).catch(() => {}))),
    { url: test.api.url, paths: PATHS },
  )
  expect(other.received.length).toBeGreaterThanOrEqual(PATHS.length)

  const { routes, url } = test.gateway
  const at = await somethingForEveryRoute(test, 'browser')
  const unsafe = everyUnsafeCall(at, test.dataDir)
  const events = await test.events()
  const before = test.gateway.devices.list().length
  const calls = routes.flatMap(({ method, path, action }) => {
    if (action === 'public') return []
    const named = path.replace(/:[A-Za-z]+/g, at.session.id)
    return [{ method, path: named, body: undefined, ...unsafe[`${method} ${path}`] }]
  })
  const sockets = ['/api/stream', `/api/terminals/${at.terminal.id}`, '/ws/', '/ws', `/ws/chat/${at.session.id}`]
  const own = { origin: url, 'sec-fetch-site': 'same-origin', 'x-holdpoint': '1' }
  let count = 0
  for (const { headers } of distinct(other.received)) {
    const values = Object.values(headers).map(String)
    const secrets = [...values, ...values.flatMap((value) => value.split(/[;=,\s]+/))].filter((value) =>
      /^[\w-]{20,}$/.test(value),
    )
    for (const more of [{}, own, ...secrets.flatMap(placed)]) {
      const sent = { ...asReceived(headers), ...more }
      for (const { method, path, body } of calls) {
        count++
        const content = body === undefined ? {} : { body: JSON.stringify(body) }
        const type = path === '/api/attachments' ? 'text/plain' : 'application/json'
        const all = { ...sent, 'content-type': type }
        const reply = await sendRaw(url, { method, path, headers: all, ...content })
        expect([401, 403], `${method} ${path}: ${reply?.body}`).toContain(reply?.status)
      }
      for (const path of sockets) {
        count++
        const reply = await sendRaw(url, { path, headers: { ...sent, ...UPGRADE, origin: url } })
        expect([401, 403], path).toContain(reply?.status)
      }
    }
  }
  expect(await test.events()).toBe(events)
  expect(test.gateway.devices.list().length).toBe(before)
  report(`T64: ${other.received.length} requests on another port, replayed as ${count} requests here`)
})

it('T64 lets nobody on another port log a page out, or into another login, by planting cookies', async () => {
  await using visit = await openPage(browser, test, { role: undefined, expected: REFUSED })
  const own = await logIn(visit.context)
  const names = [`holdpoint_${new URL(test.api.url).port}`, 'holdpoint_4680', 'x-holdpoint-secret']
  const stranger = await test.credential({ role: 'viewer' }, 'browser')
  const planted = names.flatMap((name) =>
    ['/', '/api', '/api/', '/ws', '/event'].flatMap((path) =>
      ['x', stranger.secret].map((value) => `${name}=${value}; Path=${path}; Max-Age=9999`),
    ),
  )
  // And more than a browser keeps for one host.
  const many = Array.from({ length: 200 }, (_, index) => `filler${index}=1; Path=/; Max-Age=9999`)
  const page = await visit.context.newPage()
  for (const cookies of [planted, many]) {
    other.plant(cookies)
    await page.goto(other.url)
    other.plant([])
    await own.goto(`${test.api.url}/settings`)
    await own.getByText(', owner. Holdpoint').waitFor()
  }
})

it('T64 opens the pages of the dialects by tickets, from our own page', async () => {
  await using visit = await openPage(browser, test, { expected: [/HTTP Authentication failed/] })
  await inside(visit.page).waitFor()
  const { session } = await test.session()
  const outcome = await visit.page.evaluate(openByTickets, ['/ws/', `/ws/chat/${session.id}`, '/api/stream'])
  expect(outcome).toEqual({
    sockets: ['open', 'open', 'open'],
    events: 'open',
    again: 'closed',
    withoutTicket: 'closed',
  })
})

it('tells a browser whose store was cleared why it is logged out', async () => {
  await using visit = await openPage(browser, test, { expected: REFUSED })
  const { page } = visit
  await page.waitForFunction(() => localStorage.getItem('holdpoint.logged-in') !== null)
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        indexedDB.deleteDatabase('holdpoint').onsuccess = resolve
      }),
  )
  await page.reload()
  await page.getByText('The browser has deleted the data of this page').waitFor()
})

it('logs all tabs out together, and in again', async () => {
  await using visit = await openPage(browser, test, { expected: REFUSED })
  const first = visit.page
  await inside(first).waitFor()
  const second = await visit.context.newPage()
  await second.goto(`${test.api.url}/settings`)
  await second.getByRole('button', { name: 'Log out…' }).click()
  await second.getByRole('button', { name: 'Log out', exact: true }).click()
  await second.getByText('This browser is not logged in.').waitFor()
  await first.getByText('This browser is not logged in.').waitFor()
  // Both know that this was wanted.
  expect(await second.getByRole('alert').count()).toBe(0)
  await logIn(visit.context)
  await first.getByRole('button', { name: 'I opened the link in another tab' }).click()
  await inside(first).waitFor()
  const { devices } = await test.api.ok<{ devices: Device[] }>('GET', '/api/devices')
  expect(devices.length).toBeGreaterThan(0)
})

function distinct(received: readonly { headers: IncomingHttpHeaders }[]) {
  const byCookie = new Map(received.map((one) => [one.headers.cookie, one]))
  return [...byCookie.values()]
}

/** Without what belongs to the connection they came by. */
function asReceived(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !/^(host|connection|content-|sec-fetch-site)/.test(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

/** A value that was received, wherever a secret would be taken. */
function placed(secret: string): Record<string, string>[] {
  return [
    { authorization: `Bearer ${secret}` },
    { 'x-holdpoint-secret': secret },
    { cookie: `holdpoint_4680=${secret}; holdpoint=${secret}` },
  ]
}

/** Runs in the page, with nothing but what the protocol pages say. */
async function openByTickets(paths: string[]) {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('holdpoint', 1)
    request.onsuccess = () => resolve(request.result)
  })
  const secret = await new Promise<string>((resolve) => {
    const request = database.transaction('secrets').objectStore('secrets').get(location.origin)
    request.onsuccess = () => resolve(request.result.secret)
  })
  const ticketed = async (path: string) => {
    const reply = await fetch('/api/tickets', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-holdpoint-secret': secret },
      body: JSON.stringify({ path }),
    })
    return `${path}?ticket=${(await reply.json()).ticket}`
  }
  const opens = (url: string) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(url)
      socket.onopen = () => {
        resolve('open')
        socket.close()
      }
      socket.onerror = () => resolve('closed')
    })
  const streams = (url: string) =>
    new Promise<string>((resolve) => {
      const source = new EventSource(url)
      source.onopen = () => {
        resolve('open')
        source.close()
      }
      source.onerror = () => resolve(source.readyState === EventSource.CLOSED ? 'closed' : 'trying')
    })
  const sockets: string[] = []
  let used = ''
  for (const path of paths) {
    used = await ticketed(path)
    sockets.push(await opens(used))
  }
  const events = await streams(await ticketed('/event'))
  return { sockets, events, again: await opens(used), withoutTicket: await opens('/api/stream') }
}
