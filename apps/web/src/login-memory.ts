const KEY = 'holdpoint.logged-in'

/** Notes that this browser is logged in: should it find itself logged out, it can tell that from never having been. */
export function rememberLogin(): void {
  try {
    localStorage.setItem(KEY, 'yes')
  } catch {
    // A browser that keeps nothing: it will not be told why.
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
