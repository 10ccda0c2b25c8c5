/** Whether an address is a path of this app, as it stands: nothing leads from here to another site (T52). */
export function isOwnPath(path: unknown, origin: string): path is string {
  if (typeof path !== 'string' || !path.startsWith('/')) return false
  try {
    const url = new URL(path, origin)
    return url.origin === origin && url.pathname + url.search + url.hash === path
  } catch {
    return false
  }
}
