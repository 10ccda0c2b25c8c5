import { takeWantedPath } from './wanted-path.ts'

const FRAGMENT = /^#login=(.*)$/
const CODE = /^[\w-]+$/

/**
 * The single-use code of a login link, taken out of the address bar and of the history at once. Of a link that came without its
 * end, an empty one.
 */
export function takeLoginCode(): string | undefined {
  const { hash, pathname, search } = window.location
  const isLink = pathname.startsWith('/login/')
  const code = FRAGMENT.exec(hash)?.[1] ?? (isLink ? '' : undefined)
  if (code === undefined) return undefined
  window.history.replaceState(null, '', isLink ? (takeWantedPath() ?? '/') : pathname + search)
  return decodeCode(code)
}

/** The code of a link, or one that is given alone. */
export function codeOf(text: string): string | undefined {
  const code = text.trim().replace(/^.*#login=/s, '')
  return CODE.test(code) ? code : undefined
}

/** Logs in as if a link with this code had been opened. */
export function openLoginCode(code: string): void {
  window.location.replace(`#login=${code}`)
}

/** A login link that is opened in a tab of the app changes only the fragment, so the app has to reload itself. */
export function reloadOnLoginCode(): void {
  window.addEventListener('hashchange', () => {
    if (FRAGMENT.test(window.location.hash)) window.location.reload()
  })
}

function decodeCode(code: string): string {
  try {
    return decodeURIComponent(code)
  } catch {
    return code
  }
}
