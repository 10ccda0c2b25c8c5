import type { Page } from 'playwright-core'

/** Collects what a page that works well never does. */
export async function watchPage(
  page: Page,
  { origin, expected }: { readonly origin: string; readonly expected: readonly RegExp[] },
): Promise<() => readonly string[]> {
  const problems: string[] = []
  const note = (problem: string) => {
    if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem)
  }
  page.on('console', (message) => {
    // React says what it dislikes as a warning or an error; the rest of the console is nobody's business.
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => note(`page error: ${error.stack ?? error.message}`))
  page.on('crash', () => note('the page crashed'))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(?:data|blob|about):/.test(url)) note(`a request to elsewhere: ${url}`)
  })
  await page.exposeFunction('holdpointTestViolation', (text: string) => note(`policy violation: ${text}`))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { holdpointTestViolation } = window as unknown as { holdpointTestViolation: (text: string) => void }
      holdpointTestViolation(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`)
    })
  })
  return () => problems
}
