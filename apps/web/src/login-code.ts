const FRAGMENT = /^#login=([^&]+)$/

/** The single-use code of a login link, taken out of the address bar and of the history at once. */
export function takeLoginCode(): string | undefined {
  const code = FRAGMENT.exec(window.location.hash)?.[1]
  if (code === undefined) return undefined
  window.history.replaceState(null, '', window.location.pathname + window.location.search)
  return decodeCode(code)
}

function decodeCode(code: string): string {
  try {
    return decodeURIComponent(code)
  } catch {
    return code
  }
}
