import type { SessionId } from '@holdpoint/schema/id'

const PREFIX = 'holdpoint.draft.'

/** What was written and not sent, for as long as the tab lives. */
export function readDraft(sessionId: SessionId): string {
  try {
    return sessionStorage.getItem(PREFIX + sessionId) ?? ''
  } catch {
    return ''
  }
}

/** At logout: the next user of this browser must not see drafts. */
export function forgetDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
  } catch {
    // A browser that keeps nothing.
  }
}

export function keepDraft(sessionId: SessionId, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(PREFIX + sessionId)
    else sessionStorage.setItem(PREFIX + sessionId, text)
  } catch {
    // A browser that keeps nothing, or is full: the text is still in the box.
  }
}
