/**
 * Whether notifications can come while the app is closed. `insecure`: only over HTTPS or on the gateway's own machine.
 * `install-first`: an iPhone or iPad gives them to apps on the home screen alone. `unsupported`: not in this browser.
 */
export type PushPlace = 'ready' | 'insecure' | 'install-first' | 'unsupported'

export interface BrowserFacts {
  readonly isSecureContext: boolean
  readonly hasWorkers: boolean
  readonly hasPush: boolean
  readonly hasNotifications: boolean
  readonly isApple: boolean
  readonly isInstalled: boolean
}

export function pushPlace(facts: BrowserFacts): PushPlace {
  if (!facts.isSecureContext) return 'insecure'
  if (facts.hasWorkers && facts.hasPush && facts.hasNotifications) return 'ready'
  return facts.isApple && !facts.isInstalled ? 'install-first' : 'unsupported'
}

export function browserFacts(): BrowserFacts {
  const { userAgent, maxTouchPoints } = navigator
  return {
    isSecureContext: window.isSecureContext,
    hasWorkers: 'serviceWorker' in navigator,
    hasPush: 'PushManager' in window,
    hasNotifications: 'Notification' in window,
    // An iPad says that it is a Mac, which has no touch screen.
    isApple: /\b(?:iPhone|iPad|iPod)\b/.test(userAgent) || (/\bMacintosh\b/.test(userAgent) && maxTouchPoints > 1),
    isInstalled: window.matchMedia('(display-mode: standalone)').matches,
  }
}

export function isAndroid(): boolean {
  return /\bAndroid\b/.test(navigator.userAgent)
}
