import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The machine's own Chromium, without a window. Closed by whoever launched it. */
export async function launchChromium(): Promise<Browser> {
  return launch(process.env.CHROME_PATH)
}

export async function launch(executablePath: string | undefined): Promise<Browser> {
  if (!executablePath || !existsSync(executablePath)) {
    throw new Error('There is no Chromium for this test: run "npm test" once, or set CHROME_PATH.')
  }
  return chromium.launch({
    executablePath,
    args: [
      // Root has no user namespaces to make a sandbox with; the only pages that are opened are ours.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      // In containers /dev/shm is small, and a tab that fills it crashes.
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--force-color-profile=srgb',
      // Pages live for seconds: what other threads compile and sweep ahead of need takes a tenth of the browser's time.
      '--js-flags=--single-threaded',
    ],
  })
}
