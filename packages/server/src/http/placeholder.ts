import type { Reply } from './errors.ts'

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Holdpoint</title><p id="say">Holdpoint is running. This page has no inbox yet: use the API or the holdpoint command.</p><script src="/login.js"></script></html>`

const SCRIPT = `const code = /^#login=([\\w-]+)$/.exec(location.hash)?.[1]
if (code) {
  history.replaceState(null, '', '/')
  fetch('/api/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) }).then((reply) => {
    document.getElementById('say').textContent = reply.ok ? 'This browser is logged in to Holdpoint.' : 'This link was used already or is too old. Get a new one with: holdpoint login'
  })
}
`

/** Files that need no credential, because they hold no data. */
export function staticFile(path: string): Reply | undefined {
  if (path === '/') return { status: 200, body: PAGE, headers: { 'content-type': 'text/html; charset=utf-8' } }
  if (path === '/login.js')
    return { status: 200, body: SCRIPT, headers: { 'content-type': 'text/javascript; charset=utf-8' } }
  return undefined
}
