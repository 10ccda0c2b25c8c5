// A client of "Gateway Interactive Tool UI Architecture": one session's turns as streams of events.
import { setTimeout as pause } from 'node:timers/promises'
import { Conversation } from './lib/conversation.mjs'
import { backOff, endpoint, isFinal, readEvents, request } from './lib/http.mjs'
import { describeTool, printable, runInTerminal } from './lib/terminal.mjs'
import { ClientError, Watch } from './lib/watch.mjs'

/**
 * @typedef {import('./lib/conversation.mjs').StreamEvent} StreamEvent
 * @typedef {import('./lib/conversation.mjs').ToolCallState} ToolCallState
 *
 * @typedef {object} TurnStreamOptions
 * @property {string} url the server's address, such as http://127.0.0.1:4680
 * @property {string} token
 * @property {string} sessionId
 * @property {(client: TurnStreamClient, event?: StreamEvent) => void} [onChange] after every event and state change
 * @property {(error: Error) => void} [onError] lost connections, and errors that the turn reports
 */

/** Nothing is sent before `sendMessage` or `join`. @param {TurnStreamOptions} options */
export function createTurnStream(options) {
  return new TurnStreamClient(options)
}

export class TurnStreamClient {
  /** Whether `sendMessage` or `join` is reading a turn. */
  streaming = false

  #url
  #token
  #sessionId
  /** @type {Watch<TurnStreamClient, StreamEvent>} */
  #watch
  /** @type {AbortController | null} */
  #stream = null
  #conversation = new Conversation()

  /** @param {TurnStreamOptions} options */
  constructor({ url, token, sessionId, onChange, onError }) {
    this.#url = url
    this.#token = token
    this.#sessionId = sessionId
    this.#watch = new Watch(/** @type {TurnStreamClient} */ (this), { onChange, onError })
  }

  get messages() {
    return this.#conversation.messages
  }

  /** What the server said last about the session. */
  get status() {
    return this.#conversation.status
  }

  get toolCalls() {
    return this.#conversation.toolCalls
  }

  /** Tool calls that wait for a person, oldest first. */
  get pendingInteractions() {
    return this.toolCalls.filter((call) => call.interactiveType && call.status === 'pending')
  }

  /** @param {string} toolCallId */
  getToolCall(toolCallId) {
    return this.#conversation.getToolCall(toolCallId)
  }

  /**
   * Sends a message and reads the turn it starts, to its end. A connection lost on the way is made again by joining;
   * the message is never sent twice. Only one stream is read at a time: a newer one ends the older one with `detached`.
   *
   * @param {string} content
   * @param {{ signal?: AbortSignal }} [options] stops reading, not the turn
   * @returns {AsyncGenerator<StreamEvent, void, void>}
   */
  async *sendMessage(content, { signal } = {}) {
    this.#conversation.beginTurn(content)
    yield* this.#read(
      (stop) => this.#call('messages', { body: { content }, stop, accept: 'text/event-stream' }),
      signal,
    )
  }

  /**
   * Reads a turn that is already running, its open asks first. Ends at once if none is running.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<StreamEvent, void, void>}
   */
  async *join({ signal } = {}) {
    this.#conversation.beginTurn()
    yield* this.#read(undefined, signal)
  }

  /** @param {string} toolCallId @param {{ signal?: AbortSignal }} [options] @returns {Promise<{ ok: boolean }>} */
  approveTool(toolCallId, { signal } = {}) {
    return this.#settle('approve', { toolCallId }, 'approved', signal)
  }

  /**
   * @param {string} toolCallId
   * @param {{ message?: string, signal?: AbortSignal }} [options]
   * @returns {Promise<{ ok: boolean }>}
   */
  denyTool(toolCallId, { message, signal } = {}) {
    return this.#settle('deny', { toolCallId, message: message || undefined }, 'denied', signal)
  }

  /**
   * @param {string} toolCallId
   * @param {Record<string, string | string[]> | (string | string[])[]} answers by question index: a label or other
   *   text, and for a multi-select question a list of them
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<{ ok: boolean }>}
   */
  submitAnswers(toolCallId, answers, { signal } = {}) {
    const entries = Object.entries(answers).map(([index, value]) => [
      index,
      Array.isArray(value) ? JSON.stringify(value) : value,
    ])
    return this.#settle('submit-answers', { toolCallId, answers: Object.fromEntries(entries) }, 'answered', signal)
  }

  /**
   * @template T
   * @param {(client: TurnStreamClient, event?: StreamEvent) => T} predicate
   * @param {{ signal?: AbortSignal }} [options]
   */
  waitFor(predicate, options) {
    return this.#watch.waitFor(predicate, options)
  }

  /** @param {Error} [reason] what those who wait, and a stream being read, are rejected with */
  close(reason) {
    this.#watch.close(reason)
  }

  /**
   * @param {((stop: AbortSignal) => Promise<Response>) | undefined} start what begins the turn, or else it is joined
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<StreamEvent, void, void>}
   */
  async *#read(start, signal) {
    this.#stream?.abort(new ClientError('detached', 'Another stream of this client took over'))
    const stream = new AbortController()
    this.#stream = stream
    const stop = this.#stop(stream.signal, signal)
    this.streaming = true
    this.#watch.changed()
    try {
      let failures = 0
      // Not tried again: the message may have arrived although the answer did not.
      let response = start ? await start(stop) : null
      for (;;) {
        try {
          response ??= await this.#join(stop)
          if (!response) return
          let last
          for await (const event of readEvents(response)) {
            failures = 0
            last = event.type
            this.#receive(event)
            yield event
            if (last === 'done') return
          }
          if (last === 'error') return
          throw new ClientError('disconnected', 'Connection lost')
        } catch (error) {
          stop.throwIfAborted()
          if (!(error instanceof ClientError) || isFinal(error.status)) throw error
          this.#watch.failed(error)
        }
        response = null
        failures += 1
        await pause(backOff(failures), undefined, { signal: stop })
      }
    } catch (error) {
      stop.throwIfAborted()
      throw error
    } finally {
      stream.abort()
      if (this.#stream === stream) {
        this.#stream = null
        this.streaming = false
        this.#watch.changed()
      }
    }
  }

  /** @param {AbortSignal} stop @returns {Promise<Response | null>} null when no turn is running */
  async #join(stop) {
    try {
      const response = await this.#call('stream', { stop, accept: 'text/event-stream' })
      return response.status === 204 ? null : response
    } catch (error) {
      if (error instanceof ClientError && (error.status === 404 || error.status === 409)) return null
      throw error
    }
  }

  /**
   * @param {string} action
   * @param {{ toolCallId: string, message?: string, answers?: Record<string, string> }} body
   * @param {string} outcome
   * @param {AbortSignal} [signal]
   */
  async #settle(action, body, outcome, signal) {
    try {
      const response = await this.#call(action, { body, stop: this.#stop(signal) })
      const result = /** @type {{ ok: boolean }} */ (await response.json())
      this.#conversation.settle(body.toolCallId, outcome)
      return result
    } catch (error) {
      if (error instanceof ClientError && error.status === 404) this.#conversation.settle(body.toolCallId, 'gone')
      throw error
    } finally {
      this.#watch.changed()
    }
  }

  /**
   * @param {string} action
   * @param {{ body?: unknown, stop: AbortSignal, accept?: string }} options
   */
  #call(action, { body, stop, accept }) {
    const url = endpoint(this.#url, `api/sessions/${encodeURIComponent(this.#sessionId)}/${action}`)
    return request(url, { token: this.#token, method: body ? 'POST' : 'GET', accept, body, signal: stop })
  }

  /** @param {StreamEvent} event */
  #receive(event) {
    this.#conversation.apply(event)
    if (event.type === 'error') {
      this.#watch.failed(new ClientError(event.data.code ?? 'turn_error', event.data.message))
    }
    this.#watch.changed(event)
  }

  /** @param {(AbortSignal | undefined)[]} signals */
  #stop(...signals) {
    return AbortSignal.any([this.#watch.closed, ...signals.filter((signal) => signal !== undefined)])
  }
}

await runInTerminal(import.meta.url, {
  usage: 'turn-stream.mjs --url URL [--token TOKEN] --session ID',
  purpose: 'Talk to the agent of one session, allow or deny its tools and answer its questions.',
  needsSession: true,
  connect({ url, token, session, onError, terminal }) {
    let unprinted = ''
    return createTurnStream({
      url,
      token,
      sessionId: session,
      onError,
      onChange(_client, event) {
        if (!event) return
        const { type, data } = event
        if (type === 'text_delta') unprinted += data.text
        const end = type === 'text_delta' ? unprinted.lastIndexOf('\n') + 1 : unprinted.length
        if (end > 0) terminal.print(printable(unprinted.slice(0, end).trimEnd()))
        unprinted = unprinted.slice(end)
        if (type === 'tool_result') terminal.print(`Result: ${printable(data.result)}`)
        if (type === 'interaction_settled') {
          terminal.print(printable(`The ask has ended: ${data.outcome}${data.reason ? ` (${data.reason})` : ''}`))
        }
      },
    })
  },
  async main({ client, terminal }) {
    /** @type {Set<string>} */
    const skipped = new Set()
    const next = () => client.pendingInteractions.find(({ toolCallId }) => !skipped.has(toolCallId))
    /** @param {AsyncGenerator<StreamEvent>} turn */
    const follow = (turn) =>
      terminal.attempt(async () => {
        try {
          for await (const event of turn) if (event.type === 'done') terminal.print('(done)')
        } catch (error) {
          if (!(error instanceof ClientError && error.code === 'detached')) throw error
        }
      })

    /** @param {ToolCallState} call */
    const settle = async (call) => {
      const { toolCallId, toolName, input, questions } = call
      const isOpen = () => client.getToolCall(toolCallId)?.status === 'pending'
      if (questions) {
        const picked = await terminal.whileOpen(client, isOpen, (signal) =>
          terminal.pick(questions, 'skip', { signal }),
        )
        if (!picked) return skipped.add(toolCallId)
        const answers = questions.map((item, index) => (item.multiSelect ? picked[index] : picked[index]?.[0]) ?? '')
        return terminal.attempt(() => client.submitAnswers(toolCallId, answers))
      }
      terminal.print(`\n${describeTool(toolName, JSON.parse(input))}`)
      const decision = await terminal.whileOpen(client, isOpen, (signal) =>
        terminal.decide(['allow', 'deny', 'skip'], { signal }),
      )
      if (decision?.verb === 'allow') return terminal.attempt(() => client.approveTool(toolCallId))
      if (decision?.verb === 'deny') return terminal.attempt(() => client.denyTool(toolCallId, decision))
      skipped.add(toolCallId)
    }

    terminal.print('Type a message; what the agent asks appears by itself.')
    follow(client.join())
    for (;;) {
      const call = next()
      if (call) {
        await settle(call)
        continue
      }
      const text = await terminal.whileOpen(
        client,
        () => !next(),
        (signal) => terminal.ask('> ', { signal }),
      )
      if (text?.trim()) follow(client.sendMessage(text))
    }
  },
})
