import { fileURLToPath } from 'node:url'
import { apiClient } from '@holdpoint/testing/api-client'
import { launchChromium } from '@holdpoint/testing/browser/chromium'
import { openPage } from '@holdpoint/testing/browser/open-page'
import type { Page } from 'playwright-core'
import { type GatewayProcess, startGatewayProcess, TOKEN, temporaryFolder } from './gateway-process.ts'

const WEB_FOLDER = fileURLToPath(new URL('../web', import.meta.url))

/** A gateway with the built app, and a browser on its inbox. */
export async function withBrowser<Value>(
  work: (parts: { gateway: GatewayProcess; page: Page }) => Promise<Value>,
): Promise<Value> {
  await using folder = await temporaryFolder()
  await using gateway = await startGatewayProcess({ dataDir: folder.path, webFolder: WEB_FOLDER })
  const browser = await launchChromium()
  try {
    await using opened = await openPage(browser, { api: apiClient(gateway.ready.url, TOKEN) })
    return await work({ gateway, page: opened.page })
  } finally {
    await browser.close()
  }
}
