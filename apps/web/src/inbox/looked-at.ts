const KEY = 'holdpoint.rules-looked-at'

/** When a person at this browser last looked at what rules let through, by the gateway's clock. */
export function lookedAt(): number | undefined {
  try {
    const kept = Number(localStorage.getItem(KEY) ?? Number.NaN)
    return Number.isSafeInteger(kept) && kept >= 0 ? kept : undefined
  } catch {
    return undefined
  }
}

export function setLookedAt(at: number): void {
  try {
    localStorage.setItem(KEY, String(at))
  } catch {
    // A browser that keeps nothing: it counts from when the page is opened.
  }
}
