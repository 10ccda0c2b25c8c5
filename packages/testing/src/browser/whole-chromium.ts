import type { Browser } from 'playwright-core'
import { launch } from './chromium.ts'

/** A Chromium that shows notifications: the one without a window, which is quicker, refuses them. */
export async function launchWholeChromium(): Promise<Browser> {
  return launch(process.env.WHOLE_CHROME_PATH)
}
