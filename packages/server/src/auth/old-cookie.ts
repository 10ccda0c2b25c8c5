import type { Devices } from './devices.ts'

/** As browsers were given while a login was a cookie. They last seven days; then nobody has one any more. */
const OLD_COOKIE = /(?:^|;\s*)((?:__Host-)?holdpoint_\d+)=([\w-]+)/g

const CHANGED =
  'Holdpoint was updated. Before the update, your browser sent this login to every web server on this machine. It no longer does. Please log in once more.'

/** Tells a browser that was logged in by a cookie why it is not any more. */
export function explainOldCookie(devices: Pick<Devices, 'wasCookie'>) {
  return (header: string) => (oldCookieIn(header, devices) === undefined ? undefined : CHANGED)
}

/** The header by which a browser forgets that cookie. */
export function forgetOldCookie(
  header: string | undefined,
  devices: Pick<Devices, 'wasCookie'>,
): Record<string, string> {
  const name = oldCookieIn(header, devices)
  if (name === undefined) return {}
  return { 'set-cookie': `${name}=; Path=/; Max-Age=0${name.startsWith('__Host-') ? '; Secure' : ''}` }
}

function oldCookieIn(header: string | undefined, devices: Pick<Devices, 'wasCookie'>): string | undefined {
  for (const [, name, value] of (header ?? '').matchAll(OLD_COOKIE)) if (devices.wasCookie(value ?? '')) return name
  return undefined
}
