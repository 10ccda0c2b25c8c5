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
    if (role !== undefined) await logIn(context, api, { role, sessionIds: options.sessionIds })
    const page = await context.newPage()
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

/** As a person would: by a single-use code. The cookie is put where the browser would put it. */
async function logIn(
  context: BrowserContext,
  api: ApiClient,
  grant: { readonly role: string; readonly sessionIds: readonly SessionId[] | undefined },
): Promise<void> {
  const { code } = await api.ok<{ code: string }>('POST', '/api/pairings', grant)
  const reply = await fetch(`${api.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, name: `Browser of the ${grant.role} under test` }),
  })
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '') ?? []
  if (!reply.ok || name === undefined || value === undefined) throw new Error(`not logged in: ${await reply.text()}`)
  await context.addCookies([{ name, value, url: api.url, httpOnly: true, sameSite: 'Strict' }])
}
