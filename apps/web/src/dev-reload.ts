const EVERY_MS = 1000

/** In `npm run dev` only: reloads the page after a new build. */
export function reloadWhenBuilt() {
  const now = assetsIn(document.documentElement.outerHTML)
  setInterval(async () => {
    const page = await fetch('/', { cache: 'no-store' }).then(
      (reply) => (reply.ok ? reply.text() : undefined),
      // The gateway is being started again.
      () => undefined,
    )
    if (page !== undefined && assetsIn(page) !== now) location.reload()
  }, EVERY_MS)
}

/** The hashes of what the page loads. The folder that they are in has another name after each start. */
function assetsIn(page: string): string {
  return [...new Set(page.match(/sha384-[\w+/=]+/g))].sort().join(' ')
}
