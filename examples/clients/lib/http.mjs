import { ClientError } from './watch.mjs'

/**
 * @param {string} base the server's address, with or without a path of its own
 * @param {string} path without a leading slash
 */
export function endpoint(base, path) {
  return new URL(path, base.endsWith('/') ? base : `${base}/`)
}

/** Longer after every failure, never the same for two clients that lost the same server. @param {number} failures */
export function backOff(failures) {
  return Math.min(10_000, 250 * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)
}

/** A refusal that asking again will not change. @param {unknown} status */
export function isFinal(status) {
  return typeof status === 'number' && status >= 400 && status < 500 && ![408, 425, 429].includes(status)
}

/**
 * `fetch` whose failures are ClientErrors: `network` when the server could not be reached, otherwise what it said.
 *
 * @param {URL} url
 * @param {{ token: string, method?: string, accept?: string, body?: unknown, signal: AbortSignal }} options
 */
export async function request(url, { token, method = 'GET', accept = 'application/json', body, signal }) {
  /** @type {Record<string, string>} */
  const headers = { authorization: `Bearer ${token}`, accept }
  if (body !== undefined) headers['content-type'] = 'application/json'
  let response
  try {
    response = await fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    })
  } catch (cause) {
    signal.throwIfAborted()
    throw new ClientError('network', `${url.origin} cannot be reached`, { cause })
  }
  if (response.ok) return response
  const said = await response.json().catch(() => ({}))
  const message = typeof said?.error === 'string' ? said.error : `${response.status} ${response.statusText}`
  throw new ClientError(typeof said?.code === 'string' ? said.code : 'refused', message, { status: response.status })
}

/**
 * The JSON of every `data:` frame of an event stream. Ends when the server ends the stream.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<any, void, void>}
 */
export async function* readEvents(response) {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  /** @type {string[]} */
  let data = []
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new ClientError('disconnected', 'Connection lost', { cause })
      })
      if (done) return
      rest += value
      // A carriage return at the very end may be half of a CRLF whose line feed is still to come.
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
        if (line !== '' || data.length === 0) continue
        const frame = data.join('\n')
        data = []
        yield parseFrame(frame)
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

/** @param {string} text */
export function parseFrame(text) {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ClientError('bad_frame', 'The server sent something that is not JSON', { cause })
  }
}
