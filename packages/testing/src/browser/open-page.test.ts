import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestGateway } from '../test-gateway.ts'
import { until } from '../until.ts'
import { startAppGateway } from './app-gateway.ts'
import { launchChromium } from './chromium.ts'
import { openPage } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** A page with this script in a file of its own, and this in its body. */
async function folderWith(script: string, body = '') {
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-page-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'assets'))
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><body>${body}<script type="module" src="/assets/a.js"></script>`,
  )
  await writeFile(join(folder, 'assets/a.js'), script)
  return folder
}

describe('a page under test', () => {
  it('is logged in with the role it asked for, at the size it asked for', async () => {
    const script = `
      const request = indexedDB.open('holdpoint', 1)
      request.onsuccess = () => {
        const found = request.result.transaction('secrets').objectStore('secrets').get(location.origin)
        found.onsuccess = async () => {
          const reply = await fetch('/api/me', { headers: { 'x-holdpoint-secret': found.result.secret } })
          document.title = (await reply.json()).device.role
        }
      }`
    await using test = await startTestGateway({ webFolder: await folderWith(script) })
    await using desk = await openPage(browser, test)
    await until(async () => (await desk.page.title()) === 'owner', 'the role')
    await using phone = await openPage(browser, test, { width: 390, dark: true, reducedMotion: true, role: 'viewer' })
    await until(async () => (await phone.page.title()) === 'viewer', 'the role')
    const media = await phone.page.evaluate(() => ({
      width: innerWidth,
      dark: matchMedia('(prefers-color-scheme: dark)').matches,
      still: matchMedia('(prefers-reduced-motion: reduce)').matches,
      touch: matchMedia('(pointer: coarse)').matches,
    }))
    expect(media).toEqual({ width: 390, dark: true, still: true, touch: true })
  })

  it.each([
    ['an error in the console', `console.error('oh')`, '', 'oh'],
    ['an exception', `throw new Error('bad')`, '', 'bad'],
    ['a rejection', `Promise.reject(new Error('lost'))`, '', 'lost'],
    ['an inline script', '', '<script>document.title = "run"</script>', 'script-src'],
    ['an inline handler', '', '<img src="data:," onerror="document.title = 1">', 'script-src-attr'],
    ['an inline style', '', '<style>body { color: red }</style>', 'style-src'],
    ['text made into markup', `document.body.innerHTML = '<b>x</b>'`, '', 'require-trusted-types-for'],
    ['a picture from elsewhere', `new Image().src = 'http://127.0.0.1:9/x.png'`, '', 'img-src'],
  ])('fails the test after %s', async (_, script, body, words) => {
    await using test = await startTestGateway({ webFolder: await folderWith(script, body) })
    const opened = await openPage(browser, test)
    await until(() => opened.problems().some((problem) => problem.includes(words)), 'the problem')
    expect(await opened.page.title()).toBe('')
    await expect(opened[Symbol.asyncDispose]()).rejects.toThrow(words)
  })

  it('lets pass what the test expects', async () => {
    const script = `fetch('/api/me').then((reply) => { document.title = reply.status })`
    await using test = await startTestGateway({ webFolder: await folderWith(script) })
    await using opened = await openPage(browser, test, { role: undefined, expected: [/status of 401/] })
    await until(async () => (await opened.page.title()) === '401', 'the refusal')
  })
})

it('T42 is not shown in a frame of another page', async () => {
  await using test = await startAppGateway()
  const other = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><iframe src="${test.gateway.url}/"></iframe>`)
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const page = await browser.newPage()
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)
  await until(() => refused.some((text) => text.includes('frame-ancestors')), 'the refusal')
  const frame = page.frames()[1]
  expect(await frame?.evaluate(() => document.querySelector('#root'))).toBeFalsy()
  await page.close()
})
