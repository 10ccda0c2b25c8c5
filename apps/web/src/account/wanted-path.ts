import { isOwnPath } from '../parts/own-path.ts'
import { wasLoggedIn } from './login-memory.ts'

const KEY = 'holdpoint.wanted-path'
/** Longer than it takes to get a login link; after that the person wants something else. */
const KEPT_MS = 30 * 60_000

/** Notes what a browser whose login has ended was opened for, such as the card of a notification. */
export function keepWantedPath(): void {
  const { pathname, search } = window.location
  // Whoever has logged out on purpose is done with that page.
  if (pathname === '/' || pathname.startsWith('/login/') || !wasLoggedIn()) return
  try {
    localStorage.setItem(KEY, JSON.stringify({ path: pathname + search, at: Date.now() }))
  } catch {
    // A browser that keeps nothing: it gets the inbox.
  }
}

/** Where to go after a login: once, and only to a path of this app (T52). */
export function takeWantedPath(): string | undefined {
  try {
    const kept = localStorage.getItem(KEY)
    localStorage.removeItem(KEY)
    return readWantedPath(kept, { origin: window.location.origin, now: Date.now() })
  } catch {
    return undefined
  }
}

export function readWantedPath(
  kept: string | null,
  { origin, now }: { readonly origin: string; readonly now: number },
): string | undefined {
  const { path, at } = parse(kept)
  if (!isOwnPath(path, origin) || typeof at !== 'number') return undefined
  return now >= at && now - at <= KEPT_MS ? path : undefined
}

function parse(kept: string | null): { readonly path?: unknown; readonly at?: unknown } {
  try {
    return Object(JSON.parse(kept ?? '{}'))
  } catch {
    return {}
  }
}
