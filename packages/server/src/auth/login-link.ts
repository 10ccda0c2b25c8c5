import { randomBytes } from 'node:crypto'

/** The pages that login links open. Each has an address that nobody could know before. */
export const LOGIN_PAGE = /^\/login\/[\w-]{11}$/

/**
 * Whoever held the gateway's port once can have left a page of his in the browser's cache, at any address that he knew:
 * it would take the code (T64). The code is behind the `#`, which browsers do not send.
 */
export function loginLink(url: string, code: string): string {
  return `${url}/login/${randomBytes(8).toString('base64url')}#login=${code}`
}
