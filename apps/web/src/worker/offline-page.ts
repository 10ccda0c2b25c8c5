import { paths } from '@holdpoint/schema/paths'

/** How long after each look, in milliseconds, the page looks again whether the gateway is there. */
const AGAIN_MS = 3000
const GIVE_UP_MS = 10_000

/** The whole address again: of a login link, the code is behind its `#`. */
const SCRIPT = `
const reload = () => location.reload()
document.querySelector('button').addEventListener('click', reload)
async function look() {
  const signal = AbortSignal.timeout(${GIVE_UP_MS})
  const reply = await fetch('${paths.system.health.path}', { cache: 'no-store', signal }).catch(() => undefined)
  if (reply?.ok) reload()
  else setTimeout(look, ${AGAIN_MS})
}
setTimeout(look, ${AGAIN_MS})
`

const textWith = (nonce: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Holdpoint cannot be reached</title>
<style>
:root { --bg: #fafafb; --ink: #17191e; --quiet: #565c69; --accent: #3b55d9; --on: #fff }
@media (prefers-color-scheme: dark) {
  :root { --bg: #0d0f13; --ink: #eceef2; --quiet: #a2a9b6; --accent: #9db0ff; --on: #0d0f13 }
}
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; background: var(--bg); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
main { max-width: 26rem; padding: 1.5rem }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .75rem }
p { color: var(--quiet); margin: 0 0 1rem }
button { min-height: 44px; padding: 0 1.1rem; border: 0; border-radius: .5rem; background: var(--accent);
  color: var(--on); font: inherit; font-weight: 600; cursor: pointer }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px }
</style>
</head>
<body>
<main>
<h1>Holdpoint cannot be reached</h1>
<p>This device is offline, or the gateway is not running, or it is in a network that this device is not in now.</p>
<p>Asks wait in the gateway until somebody answers them. Nothing is lost.</p>
<p>This page goes on by itself when Holdpoint can be reached again.</p>
<button type="button">Try again</button>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`

/** It is part of the worker: nothing of the app is kept in a cache (T64). */
export function offlinePage(): Response {
  const nonce = crypto.randomUUID()
  return new Response(textWith(nonce), {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'`,
    },
  })
}
