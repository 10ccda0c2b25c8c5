import { createHash, randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { LOGIN_PAGE } from '../auth/login-link.ts'
import { contentPolicy } from './content-policy.ts'
import type { Reply } from './errors.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/** Smallest first. The build leaves these beside each file that they make smaller. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

/** The page differs with every start: the best quality would save a tenth of a kilobyte and take ten times as long. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Addresses that the app itself makes sense of. */
const APP_ROUTES =
  /^\/(?:sessions(?:\/[A-Za-z0-9_-]{1,256}(?:\/changes)?)?|past(?:\/[A-Za-z0-9_-]{1,256})?|asks\/[A-Za-z0-9_-]{1,256}|new|devices|machines|settings|history|rules|usage)?$/

/** Browsers may ask for an icon before they have read which one the page names. */
const ICON = { asked: '/favicon.ico', given: '/favicon.svg' }

/** Where a page looks for assets. One that was opened before the gateway's last start names another folder. */
const ASSETS = /^\/assets\/[\w-]{22}\//

const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Holdpoint</title><p>Holdpoint is running, but its web app is not built. Run "npm run build", then restart the gateway.</p></html>\n'

interface WebFile {
  readonly headers: Record<string, string>
  readonly bodies: readonly { readonly encoding?: string; readonly etag: string; readonly bytes: Buffer }[]
}

/** Files that need no credential, because they hold no data. */
export interface WebApp {
  /** `undefined` for addresses that are not the app's. */
  find(path: string, headers: IncomingHttpHeaders): Reply | undefined
}

/**
 * The built app, all of it in memory from the start: a gateway that runs while its files are built anew goes on serving
 * one whole version, and no address can reach the file system.
 */
export async function loadWebApp(folder: string | undefined): Promise<WebApp> {
  const contents = folder === undefined ? new Map<string, Buffer>() : await readContents(folder)
  const page = withFreshAssets(contents.get('/index.html')?.toString() ?? NOT_BUILT)
  contents.delete('/index.html')
  const files = filesOf(contents)
  const index = webFile('/index.html', [
    { encoding: 'br', bytes: brotliCompressSync(page, QUICKLY) },
    { encoding: 'gzip', bytes: gzipSync(page) },
    { bytes: Buffer.from(page) },
  ])
  const policy = policyOf(page)

  return {
    find(path, headers) {
      const isLogin = LOGIN_PAGE.test(path)
      const named = path === ICON.asked ? ICON.given : path.replace(ASSETS, '/assets/')
      const file = isLogin || APP_ROUTES.test(path) ? index : files.get(named)
      if (!file) return undefined
      const accepted = acceptedEncodings(headers['accept-encoding'])
      const body = file.bodies.find(({ encoding }) => encoding === undefined || accepted.has(encoding))
      if (!body) return undefined
      const { bytes, encoding, etag } = body
      const described = {
        ...file.headers,
        // Never "not changed" of the page: a stranger's, kept by the browser, may bear the same tag (T64).
        ...(file === index ? { 'content-security-policy': policy, 'cache-control': 'no-store' } : { etag }),
        ...(isLogin && { 'clear-site-data': '"cache"' }),
      }
      if (file !== index && matches(headers['if-none-match'], etag)) return { status: 304, headers: described }
      return {
        status: 200,
        body: bytes,
        headers: {
          ...described,
          'content-length': String(bytes.length),
          ...(encoding !== undefined && { 'content-encoding': encoding }),
        },
      }
    },
  }
}

/**
 * The page, its assets in a folder that nobody could name before this start. While the gateway is down a stranger can hold its
 * port and have a browser keep what he sends for a year, under names that are the same for everybody: they are not asked
 * for again (T64).
 */
function withFreshAssets(page: string): string {
  return page.replaceAll('"/assets/', `"/assets/${randomBytes(16).toString('base64url')}/`)
}

async function readContents(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const contents = new Map<string, Buffer>()
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const address = `/${relative(folder, path).split(sep).join('/')}`
    // Folders with a dot hold what the build says about itself.
    if (entry.isFile() && !address.includes('/.')) contents.set(address, await readFile(path))
  }
  return contents
}

function filesOf(contents: ReadonlyMap<string, Buffer>): Map<string, WebFile> {
  const files = new Map<string, WebFile>()
  for (const [address, bytes] of contents) {
    if (TYPES[extname(address)] === undefined) continue
    const encoded = ENCODINGS.flatMap(({ name, suffix }) => {
      const smaller = contents.get(address + suffix)
      return smaller ? [{ encoding: name, bytes: smaller }] : []
    })
    files.set(address, webFile(address, [...encoded, { bytes }]))
  }
  return files
}

function webFile(address: string, bodies: readonly { encoding?: string; bytes: Buffer }[]): WebFile {
  // Names in this folder change with what is in the file.
  const isHashed = address.startsWith('/assets/')
  return {
    headers: {
      'content-type': TYPES[extname(address)] ?? '',
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    },
    bodies: bodies.map((body) => ({
      ...body,
      etag: `"${createHash('sha256').update(body.bytes).digest('base64url').slice(0, 22)}"`,
    })),
  }
}

/** Of the page, which has the hashes of its scripts in a map, and nothing else inline. */
function policyOf(page: string): string {
  const map = /<script type="importmap">([^<]*)<\/script>/.exec(page)?.[1]
  return contentPolicy(map === undefined ? [] : [`sha256-${createHash('sha256').update(map).digest('base64')}`])
}

function acceptedEncodings(header: string | string[] | undefined): Set<string> {
  const parts = String(header ?? '').split(',')
  const accepted = parts.map((part) => part.split(';').map((piece) => piece.trim().toLowerCase()))
  return new Set(accepted.filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? '')).map(([name]) => name ?? ''))
}

function matches(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
