const PREFIX = 'holdpoint.draft.'

/** What was written and not sent, for as long as the tab lives: by the session's id. */
export function readDraft(place: string): string {
  try {
    return sessionStorage.getItem(PREFIX + place) ?? ''
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

export function keepDraft(place: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(PREFIX + place)
    else sessionStorage.setItem(PREFIX + place, text)
  } catch {
    // A browser that keeps nothing, or is full: the text is still in the box.
  }
}
