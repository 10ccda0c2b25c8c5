import { InvalidArgumentError } from 'commander'

/** Exactly as a browser says it: a scheme, a host, a port where it is not the scheme's own. */
export function anotherOrigin(origin: string, earlier: readonly string[]): readonly string[] {
  const isOrigin = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:\d+)?$|^[a-z][a-z0-9+.-]*:\/\/\[[0-9a-f:]+\](:\d+)?$/.test(
    origin,
  )
  if (!isOrigin || (/^https?:/.test(origin) && new URL(origin).origin !== origin)) {
    throw new InvalidArgumentError('It must be one origin, as in "https://app.example" or "tauri://localhost".')
  }
  return [...earlier, origin]
}
