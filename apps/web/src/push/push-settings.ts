import type { NoticeSettings } from '@holdpoint/schema/notification'

const KEY = 'holdpoint.push'

/** Asks, and what else stops an agent. The command itself is not on a locked screen. */
export const DEFAULT_SETTINGS: NoticeSettings = { kinds: ['ask', 'alarm'], content: 'names' }

/** What was chosen in this browser, while push is on here: it outlives a login that has run out. */
export function keptSettings(): NoticeSettings | undefined {
  try {
    return parseSettings(localStorage.getItem(KEY))
  } catch {
    return undefined
  }
}

export function keepSettings(settings: NoticeSettings | undefined): void {
  try {
    if (settings) localStorage.setItem(KEY, JSON.stringify(settings))
    else localStorage.removeItem(KEY)
  } catch {
    // A browser that keeps nothing: the gateway has them, too.
  }
}

/** The gateway checks the rest. */
function parseSettings(text: string | null): NoticeSettings | undefined {
  if (text === null) return undefined
  try {
    const kept: unknown = JSON.parse(text)
    return isSettings(kept) ? kept : DEFAULT_SETTINGS
  } catch {
    return DEFAULT_SETTINGS
  }
}

function isSettings(value: unknown): value is NoticeSettings {
  return (
    typeof value === 'object' && value !== null && 'kinds' in value && Array.isArray(value.kinds) && 'content' in value
  )
}
