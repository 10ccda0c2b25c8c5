import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
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

const inside = (page: Page) => page.getByRole('link', { name: 'Settings' }).first()

/** Another user's program, at an address that leads here by one of our names. `undefined`: the machine has none such. */
async function startStranger(host: string, port: number, onProof = (_question: string) => {}) {
  const received: string[] = []
  const server: Server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers['x-holdpoint-secret'] ?? ''}`)
    if (request.url === '/api/proofs') text(request).then(onProof, () => {})
    if (request.url?.endsWith('.js')) {
      response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-store' })
      return void response.end("fetch('/stolen'); export const DevicesPage = () => null")
    }
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

/** A question for a proof that is half sent, for as long as the gateway lets it be. Gives all that came back. */
async function halfAsked(url: string) {
  const { port, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  socket.write(`POST /api/proofs HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`)
  const reply = text(socket).catch(() => '')
  return (question: string) => {
    socket.write(`Connection: close\r\nOrigin: ${url}\r\nContent-Length: ${question.length}\r\n\r\n${question}`)
    return reply
  }
}

/** Runs in a page: whatever its origin keeps. */
async function kept(): Promise<string> {
  const names = (await indexedDB.databases()).map(({ name }) => name)
  return JSON.stringify([names, { ...localStorage }, document.cookie])
}

it('T64 logs a page in at the address although it was opened by a name, so that the name’s origin keeps nothing', async () => {
  await using test = await startAppGateway()
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

it('T64 gives nothing of worth to whoever takes the gateway’s port, says so, and goes on when the gateway is back', async () => {
  const store = createMemoryStore()
  const first = await startAppGateway({ store })
  const { url } = first.gateway
  const port = Number(new URL(url).port)
  const used = new Set<string>()
  await using visit = await openPage(browser, first, {
    role: undefined,
    expected: [/status of|Failed to (load|fetch)|WebSocket|integrity/],
  })
  const { page } = visit
  page.on('request', (request) => used.add(request.headers()['x-holdpoint-secret'] ?? ''))
  const { code } = await first.api.ok<{ code: string }>('POST', '/api/pairings', { role: 'owner' })
  await page.goto(`${url}/settings#login=${code}`)
  await page.getByText(', owner. Holdpoint').waitFor()
  // Until the page has read all that it shows: a call that is still to come would reach him, with a pass that is worth nothing then.
  await page.waitForLoadState('networkidle')
  // He takes the port while the gateway closes, and passes on what the page asks over what he has begun before.
  const begun = await Promise.all([halfAsked(url), halfAsked(url), halfAsked(url)])
  await first.api.ok('GET', '/api/health')
  const replies: Promise<string>[] = []
  const passOn = (question: string) => replies.push(...begun.splice(0, 1).map((ask) => ask(question)))
  const [stranger] = await Promise.all([
    until(() => startStranger('127.0.0.1', port, passOn), 'the port'),
    first.gateway.close(),
  ])
  try {
    await page.getByText('Another program answers at this address, not your gateway').waitFor()
    await page.getByRole('button', { name: 'Try now' }).click()
    // A part of the app that was not loaded yet: the stranger's is not run.
    await page.getByRole('link', { name: 'Devices' }).first().click()
    await until(
      () => stranger.received.some((line) => /\/assets\/[\w-]{22}\/devices-page/.test(line)),
      'the page to load it',
    )
    const questions = () => stranger.received.filter((line) => line.startsWith('POST /api/proofs'))
    await until(() => questions().length >= 3, 'the page to ask again')
    const others = stranger.received.filter((line) => !/^(GET \/assets\/[\w./-]+|POST \/api\/proofs) $/.test(line))
    expect(others).toEqual([])
    expect(await Promise.all(replies)).toEqual(['', '', ''])
  } finally {
    await stranger.close()
  }

  await using second = await startAppGateway({ store, port, dataDir: first.dataDir })
  await page.getByText('Another program answers at this address, not your gateway').waitFor({ state: 'detached' })
  await page.goto(`${url}/settings`)
  await page.getByText(', owner. Holdpoint').waitFor()
  // The secret itself is in no call; what calls were made with before is worth nothing now.
  const replayed = await Promise.all(
    [...used].filter(Boolean).map(async (secret) => {
      const reply = await fetch(`${second.gateway.url}/api/me`, { headers: { 'x-holdpoint-secret': secret } })
      return `${secret.includes('.') ? 'pass' : 'secret'} ${reply.status}`
    }),
  )
  expect(replayed.sort()).toEqual(['pass 200', 'pass 401'])
})
