import type { Device } from '@holdpoint/schema/device'
import type { SessionId } from '@holdpoint/schema/id'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ApiClient } from '../api-client.ts'
import { controlClock } from './page-clock.ts'
import { watchPage } from './watch-page.ts'

export interface OpenPageOptions {
  /** A phone (touch, 390 × 844) or a desk (1440 × 900), which is the default. */
  readonly width?: 390 | 1440
  readonly dark?: boolean
  readonly reducedMotion?: boolean
  /** From the root; `/` unless told otherwise. */
  readonly path?: string
  /** Whose browser it is; an owner's unless told otherwise. `undefined`: nobody has logged in. */
  readonly role?: 'owner' | 'approver' | 'viewer' | undefined
  readonly sessionIds?: readonly SessionId[]
  /** One that the test can put forward, and that stands `still` otherwise or not; the machine's unless told otherwise. */
  readonly clock?: 'running' | 'still'
  /** What the page may complain about, such as calls that this test has refused. */
  readonly expected?: readonly RegExp[]
}

export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  /** What went wrong so far and was not expected: console errors, page errors, policy violations, foreign requests. */
  problems(): readonly string[]
  /** Closes the page and throws when there were problems. */
  [Symbol.asyncDispose](): Promise<void>
}

/** A page of a gateway under test, in a browser profile of its own that is logged in. */
export async function openPage(
  browser: Browser,
  { api }: { readonly api: ApiClient },
  options: OpenPageOptions = {},
): Promise<OpenPage> {
  const { width = 1440, dark = false, reducedMotion = false, path = '/', expected = [] } = options
  const isPhone = width === 390
  const context = await browser.newContext({
    viewport: { width, height: isPhone ? 844 : 900 },
    hasTouch: isPhone,
    isMobile: isPhone,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  try {
    const role = 'role' in options ? options.role : 'owner'
    const page = await context.newPage()
    if (role !== undefined) await logIn(page, api, { role, sessionIds: options.sessionIds })
    const problems = await watchPage(page, { origin: api.url, expected })
    if (options.clock) await controlClock(page, options.clock)
    await page.goto(api.url + path)
    return {
      page,
      context,
      problems,
      async [Symbol.asyncDispose]() {
        await context.close()
        const found = problems()
        if (found.length > 0) throw new Error(`The page had problems:\n${found.join('\n')}`)
      },
    }
  } catch (error) {
    await context.close()
    throw error
  }
}

/** By a single-use code, as a person would. It is put where the app keeps it. */
async function logIn(
  page: Page,
  api: ApiClient,
  grant: { readonly role: string; readonly sessionIds: readonly SessionId[] | undefined },
): Promise<void> {
  const { code } = await api.ok<{ code: string }>('POST', '/api/pairings', grant)
  const { device, secret, proofKey } = await api.ok<{ device: Device; secret: string; proofKey: string }>(
    'POST',
    '/api/login',
    {
      code,
      name: `Browser of the ${grant.role} under test`,
    },
  )
  // Small, and of the same origin.
  await page.goto(`${api.url}/api/health`)
  await page.evaluate(keepLogin, { device: device.id, secret, proofKey })
}

/** Runs in the page, where nothing can be imported: as `page-login.ts` of the client does it. */
function keepLogin(login: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('holdpoint', 1)
    request.onupgradeneeded = () => void request.result.createObjectStore('secrets')
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const transaction = request.result.transaction('secrets', 'readwrite')
      transaction.objectStore('secrets').put(login, location.origin)
      transaction.oncomplete = () => {
        request.result.close()
        resolve()
      }
    }
  })
}
