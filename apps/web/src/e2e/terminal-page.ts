import type { Session } from '@holdpoint/schema/session'
import { startAppGateway } from '@holdpoint/testing/browser/app-gateway'
import { type OpenPageOptions, openPage } from '@holdpoint/testing/browser/open-page'
import { createSyntheticDriver } from '@holdpoint/testing/synthetic-driver'
import type { Browser, Page } from 'playwright-core'
import { DIALOG, fakeTerminal } from './fake-terminal.ts'

/** A gateway whose sessions have a terminal, as far as pages can tell. */
export async function startTerminalGateway() {
  const { driver, agentOf } = createSyntheticDriver('terminal')
  const test = await startAppGateway({ drivers: () => [driver] })
  return {
    ...test,
    /** A session's page with its terminal in sight. */
    async openTerminal(browser: Browser, options: OpenPageOptions = {}) {
      const start = { agent: 'terminal', cwd: test.dataDir, title: 'claude in a terminal' }
      const session = await test.api.ok<Session>('POST', '/api/sessions', start)
      const agent = await agentOf(session.id)
      // Something small first: sockets are taken over only in a document that comes after.
      const tab = await openPage(browser, test, { reducedMotion: true, path: '/api/health', ...options })
      const terminal = await fakeTerminal(tab.page, DIALOG)
      await tab.page.goto(`${test.api.url}/sessions/${session.id}`)
      await screenOf(tab.page).getByText('Do you want to proceed?').waitFor()
      return { session, agent, page: tab.page, terminal, [Symbol.asyncDispose]: () => tab[Symbol.asyncDispose]() }
    },
  }
}
export type TerminalGateway = Awaited<ReturnType<typeof startTerminalGateway>>

export const screenOf = (page: Page) => page.getByRole('group', { name: 'Screen of the program' })
