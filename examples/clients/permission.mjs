// A client of "Dynamic Tool Approvals": a queue of permission requests over HTTP and server-sent events.
import { setTimeout as pause } from 'node:timers/promises'
import { backOff, endpoint, isFinal, readEvents, request } from './lib/http.mjs'
import { describeTool, printable, runInTerminal } from './lib/terminal.mjs'
import { ClientError, Watch } from './lib/watch.mjs'

const REPLY_ATTEMPTS = 3

/**
 * @typedef {object} PermissionRequest
 * @property {string} id
 * @property {string} sessionId
 * @property {string} messageId
 * @property {string} tool
 * @property {string} permission
 * @property {Record<string, unknown>} input
 * @property {string[]} patterns what "always" will allow in this session
 * @property {{ description?: string, filePath?: string, diff?: string, command?: string, url?: string, query?: string }} metadata
 * @property {{ type: 'addRules' | 'addDirectories', patterns: string[], description: string }[]} suggestions
 * @property {number} createdAt milliseconds
 *
 * @typedef {'allow' | 'deny' | 'always'} Reply
 * @typedef {{ success: boolean, error?: string }} ReplyResponse
 *
 * @typedef {object} PermissionOptions
 * @property {string} url the server's address, such as http://127.0.0.1:4680
 * @property {string} token
 * @property {string} [sessionId] only this session's requests; otherwise those of all
 * @property {(client: PermissionClient, event?: any) => void} [onChange] after every event and connection change
 * @property {(error: Error) => void} [onError] lost connections and what the server refused
 */

/** Connects at once and stays connected until `close()`. @param {PermissionOptions} options */
export function connectPermissions(options) {
  return new PermissionClient(options)
}

export class PermissionClient {
  /**
   * Open requests, in the order they were asked.
   *
   * @type {PermissionRequest[]}
   */
  pendingQueue = []
  connected = false
  /** Whether `pendingQueue` was fetched on the present connection. */
  synced = false

  #url
  #token
  #sessionId
  /** @type {Watch<PermissionClient, any>} */
  #watch
  /**
   * What happened while a list of pending requests was on its way, which that list may not know yet.
   *
   * @type {Set<{ asked: PermissionRequest[], gone: Set<string> }>}
   */
  #refreshes = new Set()

  /** @param {PermissionOptions} options */
  constructor({ url, token, sessionId, onChange, onError }) {
    this.#url = url
    this.#token = token
    this.#sessionId = sessionId
    this.#watch = new Watch(/** @type {PermissionClient} */ (this), { onChange, onError })
    this.#stayConnected()
  }

  get currentRequest() {
    return this.pendingQueue[0] ?? null
  }

  /**
   * Replies to the current request, and moves on to the next one.
   *
   * @param {Reply} reply
   * @param {string} [message] feedback on deny
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<ReplyResponse>}
   */
  async reply(reply, message, options) {
    const current = this.currentRequest
    return current ? this.replyTo(current.id, reply, message, options) : { success: false, error: 'Nothing is pending' }
  }

  /**
   * Replies to any pending request. A server that cannot be reached is tried three times; then this rejects with the
   * code `network` and the request stays in the queue. A request that the server no longer knows leaves the queue.
   *
   * @param {string} requestId
   * @param {Reply} reply
   * @param {string} [message]
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<ReplyResponse>}
   */
  async replyTo(requestId, reply, message, { signal } = {}) {
    const stop = this.#stop(signal)
    for (let attempt = 1; ; attempt += 1) {
      try {
        const url = endpoint(this.#url, `permission/${encodeURIComponent(requestId)}/reply`)
        const response = await request(url, {
          token: this.#token,
          method: 'POST',
          body: { reply, message },
          signal: stop,
        })
        const result = /** @type {ReplyResponse} */ (await response.json())
        this.#remove(requestId)
        this.#watch.changed()
        return result
      } catch (error) {
        stop.throwIfAborted()
        if (!(error instanceof ClientError)) throw error
        if (error.status === 404 || error.status === 400) {
          if (error.status === 404) this.#remove(requestId)
          this.#watch.failed(error)
          this.#watch.changed()
          return { success: false, error: error.message }
        }
        if (isFinal(error.status) || attempt === REPLY_ATTEMPTS) throw error
        await pause(backOff(attempt), undefined, { signal: stop })
      }
    }
  }

  /** Closing the prompt without deciding denies the current request. @param {{ signal?: AbortSignal }} [options] */
  dismiss(options) {
    return this.reply('deny', 'Dismissed', options)
  }

  /** Fetches what is pending. Done by itself on every connect. @param {{ signal?: AbortSignal }} [options] */
  async refresh({ signal } = {}) {
    const url = endpoint(this.#url, 'permission/pending')
    if (this.#sessionId) url.searchParams.set('sessionId', this.#sessionId)
    const meanwhile = { asked: /** @type {PermissionRequest[]} */ ([]), gone: /** @type {Set<string>} */ (new Set()) }
    this.#refreshes.add(meanwhile)
    try {
      const response = await request(url, { token: this.#token, signal: this.#stop(signal) })
      const { requests } = /** @type {{ requests: PermissionRequest[] }} */ (await response.json())
      const listed = new Set(requests.map(({ id }) => id))
      const all = [...requests, ...meanwhile.asked.filter(({ id }) => !listed.has(id))]
      this.pendingQueue = all.filter(({ id }) => !meanwhile.gone.has(id))
      this.synced = true
    } finally {
      this.#refreshes.delete(meanwhile)
    }
    this.#watch.changed()
  }

  /**
   * @template T
   * @param {(client: PermissionClient, event?: any) => T} predicate
   * @param {{ signal?: AbortSignal }} [options]
   */
  waitFor(predicate, options) {
    return this.#watch.waitFor(predicate, options)
  }

  /** @param {Error} [reason] what those who wait are rejected with */
  close(reason) {
    this.connected = false
    this.synced = false
    this.#watch.close(reason)
  }

  async #stayConnected() {
    let failures = 0
    while (!this.#watch.closed.aborted) {
      const connection = new AbortController()
      const stop = this.#stop(connection.signal)
      try {
        const url = endpoint(this.#url, 'event')
        const stream = await request(url, { token: this.#token, accept: 'text/event-stream', signal: stop })
        this.connected = true
        this.#watch.changed()
        const refreshed = this.refresh({ signal: stop }).then(() => {
          failures = 0
        })
        await Promise.all([this.#follow(stream), refreshed])
      } catch (error) {
        if (this.#watch.closed.aborted) return
        this.connected = false
        this.synced = false
        this.#watch.failed(/** @type {Error} */ (error))
        if (error instanceof ClientError && isFinal(error.status)) return this.close(error)
        this.#watch.changed()
      } finally {
        connection.abort()
      }
      failures += 1
      // Rejects only because of close(), which has told whoever waits.
      await pause(backOff(failures), undefined, { signal: this.#watch.closed }).catch(() => {})
    }
  }

  /** @param {Response} stream */
  async #follow(stream) {
    for await (const event of readEvents(stream)) this.#receive(event)
    throw new ClientError('disconnected', 'Connection lost')
  }

  /** @param {any} event */
  #receive(event) {
    if (event.type === 'permission.asked') {
      const asked = /** @type {PermissionRequest} */ (event.properties.request)
      if (!this.#sessionId || asked.sessionId === this.#sessionId) this.#add(asked)
    } else if (event.type === 'permission.replied') this.#remove(event.properties.requestId)
    this.#watch.changed(event)
  }

  /** @param {PermissionRequest} asked */
  #add(asked) {
    if (!this.pendingQueue.some(({ id }) => id === asked.id)) this.pendingQueue = [...this.pendingQueue, asked]
    for (const refresh of this.#refreshes) refresh.asked.push(asked)
  }

  /** @param {string} requestId */
  #remove(requestId) {
    this.pendingQueue = this.pendingQueue.filter(({ id }) => id !== requestId)
    for (const refresh of this.#refreshes) refresh.gone.add(requestId)
  }

  /** @param {AbortSignal} [signal] */
  #stop(signal) {
    return signal ? AbortSignal.any([signal, this.#watch.closed]) : this.#watch.closed
  }
}

/** What a person needs to see before deciding. @param {PermissionRequest} asked */
function describe({ tool, input, metadata }) {
  if (tool === 'Edit' && metadata.diff) return `Edit file: ${printable(metadata.filePath)}\n${printable(metadata.diff)}`
  if (tool === 'Bash' && metadata.command) return `Run command:\n${printable(metadata.command)}`
  if (metadata.description) return `${printable(metadata.description)}\n${describeTool(tool, input)}`
  return describeTool(tool, input)
}

await runInTerminal(import.meta.url, {
  usage: 'permission.mjs --url URL [--token TOKEN] [--session ID]',
  purpose: 'Allow or deny what agents want to do, in all sessions or in one.',
  connect: ({ url, token, session, onError }) => connectPermissions({ url, token, sessionId: session, onError }),
  async main({ client, terminal }) {
    await client.waitFor(() => client.synced, { signal: terminal.ended })
    terminal.print(`Connected; ${client.pendingQueue.length} waiting.`)
    for (;;) {
      const asked = await client.waitFor(() => client.currentRequest, { signal: terminal.ended })
      terminal.print(`\n${asked.sessionId}\n${describe(asked)}`)
      if (asked.patterns.length)
        terminal.print(`"always" also allows, in this session: ${printable(asked.patterns.join(', '))}`)
      const isOpen = () => client.pendingQueue.some(({ id }) => id === asked.id)
      const decision = await terminal.whileOpen(client, isOpen, (signal) =>
        terminal.decide(['allow', 'deny', 'always', 'cancel'], { signal }),
      )
      if (!decision) continue
      const { verb, message } = decision
      await terminal.attempt(() =>
        verb === 'cancel' ? client.replyTo(asked.id, 'deny', 'Dismissed') : client.replyTo(asked.id, verb, message),
      )
    }
  },
})
