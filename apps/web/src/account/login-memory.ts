const KEY = 'holdpoint.logged-in'

/** Notes that this browser is logged in, so that a lost login can be told from a browser that never logged in. */
export function rememberLogin(): void {
  try {
    localStorage.setItem(KEY, 'yes')
  } catch {
    // No storage in this browser: the logged-out page will give no reason.
  }
}

/** For a logout that the person wanted: there is nothing to explain. */
export function forgetLogin(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // A browser that keeps nothing.
  }
}

export function wasLoggedIn(): boolean {
  try {
    return localStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}
