// Takes one exchange from a gateway that runs, with the real Claude Code on the demo model.
import { exchanges } from './exchanges.mjs'
import { createRecorder } from './recorder.mjs'

export const EXCHANGES = Object.keys(exchanges)

/** The lines of an exchange, as its page shows them. Every session of the gateway is ended afterwards. */
export async function takeExchange(name, { url, token }) {
  const quietly = caller(url, token)
  const recorder = createRecorder({ url, token })
  const startDemo = (more = {}) =>
    quietly('POST', '/api/sessions', { agent: 'demo', title: 'Tour', prompt: 'Show me around', ...more })
  await exchanges[name]({ recorder, quietly, startDemo, allowUntil: (id, kind) => allowUntil(quietly, id, kind) })
  await endAll(quietly)
  return recorder.lines.join('\n').trim().split('\n')
}

/** So that the next exchange begins with nothing. */
async function endAll(quietly) {
  for (const { id, state } of (await quietly('GET', '/api/sessions')).sessions)
    if (state !== 'dead') await quietly('DELETE', `/api/sessions/${id}`)
}

function caller(url, token) {
  return async (method, path, body) => {
    const reply = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Allows what the session asks until an ask of this kind is open. */
async function allowUntil(quietly, sessionId, kind) {
  for (;;) {
    const { asks } = await quietly('GET', `/api/asks?sessionId=${sessionId}`)
    if (asks.some((ask) => ask.kind === kind)) return
    for (const { id, digest } of asks) await quietly('POST', `/api/asks/${id}/answer`, { kind: 'allow', digest })
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
