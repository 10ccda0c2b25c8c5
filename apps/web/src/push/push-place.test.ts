import { expect, it } from 'vitest'
import { type BrowserFacts, pushPlace } from './push-place.ts'

const CHROME: BrowserFacts = {
  isSecureContext: true,
  hasWorkers: true,
  hasPush: true,
  hasNotifications: true,
  isApple: false,
  isInstalled: false,
}
const SAFARI = { ...CHROME, hasPush: false, hasNotifications: false, isApple: true }

it.each([
  [CHROME, 'ready'],
  [{ ...CHROME, isSecureContext: false, hasWorkers: false }, 'insecure'],
  [{ ...CHROME, hasPush: false }, 'unsupported'],
  // A page in Safari on an iPhone, and the same app on its home screen.
  [SAFARI, 'install-first'],
  [{ ...SAFARI, isInstalled: true, hasPush: true, hasNotifications: true }, 'ready'],
  [{ ...SAFARI, isInstalled: true }, 'unsupported'],
  [{ ...SAFARI, isSecureContext: false }, 'insecure'],
])('says whether notifications can come while the app is closed %#', (facts, place) => {
  expect(pushPlace(facts)).toBe(place)
})
