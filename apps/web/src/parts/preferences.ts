import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'
export type InboxView = 'cards' | 'lines'

export interface Preferences {
  readonly theme: Theme
  readonly notifications: boolean
  readonly sound: boolean
  /** From 0 to 1. */
  readonly volume: number
  /** Whole cards, or a line for each ask. */
  readonly inbox: InboxView
  /** Lists leave out sessions that have ended. */
  readonly hideEnded: boolean
  /** Where the last session was started, where there are several machines. */
  readonly machine?: string
}

const KEY = 'holdpoint.preferences'
const DEFAULTS: Preferences = {
  theme: 'system',
  notifications: false,
  sound: false,
  volume: 0.5,
  inbox: 'cards',
  hideEnded: false,
}
const listeners = new Set<() => void>()
let current = read()

export function preferences(): Preferences {
  return current
}

export function setPreferences(changes: Partial<Preferences>): void {
  current = { ...current, ...changes }
  try {
    localStorage.setItem(KEY, JSON.stringify(current))
  } catch {
    // A browser that keeps nothing: the choice holds until the page is closed.
  }
  applyTheme()
  for (const listener of listeners) listener()
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences)
}

export function applyTheme(): void {
  const { theme } = current
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  window.addEventListener('storage', onStorage)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) window.removeEventListener('storage', onStorage)
  }
}

/** Another tab changed them. */
function onStorage(event: StorageEvent) {
  if (event.key !== KEY) return
  current = read()
  applyTheme()
  for (const listener of listeners) listener()
}

function read(): Preferences {
  try {
    return parsePreferences(localStorage.getItem(KEY))
  } catch {
    return DEFAULTS
  }
}

/** What was kept, as far as it makes sense: an older or a foreign version may have written it. */
export function parsePreferences(text: string | null): Preferences {
  const kept = parse(text)
  return {
    theme: kept.theme === 'light' || kept.theme === 'dark' ? kept.theme : 'system',
    notifications: kept.notifications === true,
    sound: kept.sound === true,
    volume: typeof kept.volume === 'number' ? Math.min(1, Math.max(0, kept.volume)) : DEFAULTS.volume,
    inbox: kept.inbox === 'lines' ? 'lines' : 'cards',
    hideEnded: kept.hideEnded === true,
    ...(typeof kept.machine === 'string' && { machine: kept.machine }),
  }
}

function parse(text: string | null): Partial<Record<keyof Preferences, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
