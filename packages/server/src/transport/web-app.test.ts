import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { report } from '@holdpoint/testing/long'
import { sendRaw } from '@holdpoint/testing/raw-http'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadWebApp } from './web-app.ts'

const PAGE = '<!doctype html><title>Holdpoint</title>'
const SCRIPT = 'export const a = 1\n'.repeat(100)

async function builtApp() {
  const folder = await mkdtemp(join(tmpdir(), 'holdpoint-web-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const name of ['assets', '.vite']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'index.html'), PAGE)
  await writeFile(join(folder, 'favicon.svg'), '<svg/>')
  await writeFile(join(folder, 'worker.js'), 'addEventListener')
  await writeFile(join(folder, '.vite/manifest.json'), '{}')
  await writeFile(join(folder, 'assets/index-1a2b.js'), SCRIPT)
  await writeFile(join(folder, 'assets/index-1a2b.js.gz'), gzipSync(SCRIPT))
  await writeFile(join(folder, 'assets/index-1a2b.js.br'), brotliCompressSync(SCRIPT))
  await writeFile(join(folder, 'notes.unknown'), 'x')
  return folder
}

describe('the web app', () => {
  it('T64 gives the service worker at its one address, to be asked for again each time', async () => {
    const app = await loadWebApp(await builtApp())
    expect(app.find('/worker.js', {})).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
    })
  })

  it('gives its page for every place in it, and nothing for others', async () => {
    const app = await loadWebApp(await builtApp())
    for (const path of [
      '/',
      '/sessions',
      '/sessions/ses_01ABC',
      '/sessions/ses_01ABC/changes',
      '/new',
      '/devices',
      '/settings',
      '/history',
      '/usage',
      '/rules',
      '/past',
      '/machines',
      '/past/0d6e-4f5a',
      '/asks/ask_01ABC',
    ])
      expect(app.find(path, {}), path).toMatchObject({ status: 200, body: Buffer.from(PAGE) })
    for (const path of [
      '/index.html',
      '/admin',
      '/sessions/',
      '/sessions/a/b',
      '/asks',
      '/asks/a/b',
      '/sessions/..',
      '/api',
      '/api/sessions',
      '/.vite/manifest.json',
      '/assets',
      '/assets/',
      '/assets/index-1a2b.js.br',
      '/notes.unknown',
      '',
    ])
      expect(app.find(path, {}), path).toBeUndefined()
  })

  it('gives it for every route that the app has, so that each can be reloaded', async () => {
    const app = await loadWebApp(await builtApp())
    const routes = await readFile(new URL('../../../../apps/web/src/routes.tsx', import.meta.url), 'utf8')
    const paths = [...routes.matchAll(/<Route path="([^"]+)"/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(10)
    for (const path of paths)
      expect(app.find(path.replace(':id', 'an_id').replace(':view?', 'changes'), {}), path).toMatchObject({
        status: 200,
      })
  })

  it('T53 reads no file for an address, whatever it looks like', async () => {
    await using test = await startTestGateway({ webFolder: await builtApp() })
    const steps = [
      '..',
      '%2e%2e',
      '..%2f',
      '%252e%252e',
      '..%5c',
      '..\\',
      '....//',
      '.%00.',
      '%c0%ae%c0%ae',
      '\\??\\C:',
    ]
    const targets = ['package.json', 'etc/passwd', 'index.html', '.vite/manifest.json', 'notes.unknown', '%00']
    const starts = ['/', '/assets/', '/sessions/', '/assets/index-1a2b.js/', '//']
    let count = 0
    for (const start of starts) {
      for (const step of steps) {
        for (const target of targets) {
          const path = `${start}${step}/${target}`
          const reply = await sendRaw(test.gateway.url, { path })
          expect([400, 401], path).toContain(reply?.status)
          count++
        }
      }
    }
    report(`T53: ${count} addresses`)
  })

  it('sends the smallest form that the browser takes', async () => {
    const app = await loadWebApp(await builtApp())
    const get = (accept?: string) => {
      const reply = app.find('/assets/index-1a2b.js', accept === undefined ? {} : { 'accept-encoding': accept })
      return { encoding: reply?.headers?.['content-encoding'], body: reply?.body as Buffer, headers: reply?.headers }
    }
    const brotli = get('gzip, deflate, br, zstd')
    expect(brotli.encoding).toBe('br')
    expect(brotliDecompressSync(brotli.body).toString()).toBe(SCRIPT)
    const gzip = get('gzip, br;q=0')
    expect(gzip.encoding).toBe('gzip')
    expect(gunzipSync(gzip.body).toString()).toBe(SCRIPT)
    expect(get('br;q=0.000, GZIP;q=0.5').encoding).toBe('gzip')
    expect(get().encoding).toBeUndefined()
    expect(get('identity').body.toString()).toBe(SCRIPT)
    expect(brotli.headers).toMatchObject({ vary: 'accept-encoding', 'content-length': String(brotli.body.length) })
    expect(new Set([brotli, gzip, get()].map(({ headers }) => headers?.etag)).size).toBe(3)
  })

  it('lets browsers keep what is named by its contents, ask for the rest each time, and keep no page (T64)', async () => {
    await using test = await startTestGateway({ webFolder: await builtApp() })
    const script = await fetch(`${test.gateway.url}/assets/index-1a2b.js`)
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await script.text()).toBe(SCRIPT)
    const guessed = await fetch(`${test.gateway.url}/favicon.ico`)
    expect([guessed.status, guessed.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    const icon = await fetch(`${test.gateway.url}/favicon.svg`)
    expect(icon.headers.get('cache-control')).toBe('no-cache')
    const tags = `"other", W/${icon.headers.get('etag')}`
    const again = await fetch(`${test.gateway.url}/favicon.svg`, { headers: { 'if-none-match': tags } })
    expect(again.status).toBe(304)
    expect(again.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await again.text()).toBe('')
    for (const path of ['/', '/sessions/ses_x', '/login/abcdefghijk']) {
      const page = await fetch(test.gateway.url + path, { headers: { 'if-none-match': '*' } })
      expect([page.status, page.headers.get('cache-control'), page.headers.get('etag')], path).toEqual([
        200,
        'no-store',
        null,
      ])
      expect(page.headers.get('clear-site-data'), path).toBe(path.startsWith('/login/') ? '"cache"' : null)
    }
    const head = await sendRaw(test.gateway.url, { method: 'HEAD', path: '/' })
    expect(head).toMatchObject({ status: 200, body: '' })
    expect(head?.head).toMatch(new RegExp(`content-length: ${PAGE.length}`, 'i'))
  })

  it('says so when it is not built', async () => {
    for (const folder of [undefined, join(tmpdir(), 'holdpoint-no-such-folder')]) {
      const app = await loadWebApp(folder)
      expect(String(app.find('/', {})?.body)).toContain('npm run build')
      expect(app.find('/assets/index-1a2b.js', {})).toBeUndefined()
    }
  })

  it('allows nothing that is not its own file: no inline script or style, no other origin, no frame', async () => {
    await using test = await startTestGateway({ webFolder: await builtApp() })
    const policy = (await fetch(test.gateway.url)).headers.get('content-security-policy') ?? ''
    const directives = policy.split(';').map((directive) => directive.trim())
    expect(directives).toContain("default-src 'none'")
    expect(directives).toContain("frame-ancestors 'none'")
    expect(directives).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toMatch(/unsafe|\*|https?:|nonce|sha256/)
    for (const directive of directives.filter((text) => /-src /.test(text) && !text.startsWith('default-src')))
      expect(directive).toMatch(
        /^(?:script|style|connect|font|manifest|worker)-src 'self'$|^img-src 'self' data: blob:$/,
      )
  })

  it('T64 names its assets anew at each start, and gives them to pages of an earlier one too', async () => {
    const folder = await builtApp()
    await writeFile(join(folder, 'index.html'), `${PAGE}<script type="module" src="/assets/index-1a2b.js"></script>`)
    const addresses = new Set<string>()
    for (let start = 0; start < 3; start++) {
      const app = await loadWebApp(folder)
      const page = String(app.find('/', {})?.body)
      addresses.add(/src="(\/assets\/[\w-]{22}\/index-1a2b\.js)"/.exec(page)?.[1] ?? '')
      for (const encoding of ['br', 'gzip'] as const) {
        const reply = app.find('/', { 'accept-encoding': encoding })
        const decoded = (encoding === 'br' ? brotliDecompressSync : gunzipSync)(reply?.body as Buffer)
        expect(decoded.toString()).toBe(page)
      }
      for (const address of addresses) expect(String(app.find(address, {})?.body), address).toBe(SCRIPT)
    }
    expect(addresses.size).toBe(3)
  })

  it('T64 lets the map with the hashes of its scripts stand in the page, and no other text', async () => {
    const folder = await builtApp()
    const map = '{"integrity":{"/assets/index-1a2b.js":"sha384-x"}}'
    await writeFile(join(folder, 'index.html'), `${PAGE}<script type="importmap">${map}</script>`)
    await using test = await startTestGateway({ webFolder: folder })
    const policyAt = async (path: string) =>
      (await fetch(test.gateway.url + path)).headers.get('content-security-policy') ?? ''
    const page = await (await fetch(test.gateway.url)).text()
    const served = /<script type="importmap">(.*)<\/script>/.exec(page)?.[1] ?? ''
    expect(served.replace(/[\w-]{22}\//, '')).toBe(map)
    const hash = createHash('sha256').update(served).digest('base64')
    expect(await policyAt('/settings')).toContain(`; script-src 'self' 'sha256-${hash}'; `)
    for (const path of ['/assets/index-1a2b.js', '/api/health'])
      expect(await policyAt(path)).toContain("; script-src 'self'; ")
  })
})
