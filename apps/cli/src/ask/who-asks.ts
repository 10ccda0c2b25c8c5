import { hostname, userInfo } from 'node:os'

/** As many characters as a session's title has. */
const LONGEST = 256

/** Who asks, where nobody says more: `ada@build-7`. */
export function whoAsks(): string {
  return `${userName()}@${hostname()}`
}

/** As people read it in the inbox. */
export function titled(...parts: readonly (string | undefined)[]): string {
  return parts.filter(Boolean).join(' · ').slice(0, LONGEST)
}

/** Containers run under ids that have no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return process.env.USER ?? 'unknown'
  }
}
