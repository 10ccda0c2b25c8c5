// A client of "Pending Requests: Tool Approval & Clarifying Questions": every agent process over one WebSocket.
import { endpoint } from './lib/http.mjs'
import { ReconnectingSocket } from './lib/reconnecting-socket.mjs'
import { describeTool, runInTerminal } from './lib/terminal.mjs'
import { ClientError, Watch } from './lib/watch.mjs'

/**
 * @typedef {object} Question
 * @property {string} question
 * @property {string} [header]
 * @property {{ label: string, description?: string }[]} options
 * @property {boolean} [multiSelect]
 *
 * @typedef {object} PendingRequest
 * @property {string} request_id
 * @property {'tool_approval' | 'ask_user_question'} request_type
 * @property {string} tool_name
 * @property {Record<string, any>} tool_input for `ask_user_question`: `{ questions: Question[] }`
 * @property {number} created_at seconds
 *
 * @typedef {object} ProcessState
 * @property {'starting' | 'assistant_turn' | 'user_turn' | 'dead'} state
 * @property {string} project_id
 * @property {number} [started_at] seconds
 * @property {number} [state_changed_at] seconds
 * @property {PendingRequest | null} pending_request the oldest, when several are open
 * @property {PendingRequest[]} [pending_requests] all of them, from a server that lists them
 *
 * @typedef {{ request_type: 'tool_approval', decision: 'allow' | 'deny', message?: string, updated_input?: object }
 *   | { request_type: 'ask_user_question', answers: Record<string, string> }} ResponseData
 *
 * @typedef {object} ProcessStateOptions
 * @property {string} url the server's address, such as http://127.0.0.1:4680
 * @property {string} token
 * @property {(client: ProcessStateClient, message?: any) => void} [onChange] after every message and connection change
 * @property {(error: Error) => void} [onError] lost connections and what the server refused
 */

/** Connects at once and stays connected until `close()`. @param {ProcessStateOptions} options */
export function connectProcessState(options) {
  return new ProcessStateClient(options)
}

export class ProcessStateClient {
  /**
   * By session id. Kept while the connection is down; replaced by what the server sends on connecting.
   *
   * @type {Record<string, ProcessState>}
   */
  processStates = Object.create(null)
  /**
   * Request ids that were answered from here and that the server has not cleared yet: their buttons are disabled.
   *
   * @type {Set<string>}
   */
  responding = new Set()
  /** Whether `processStates` holds what the server sent on the present connection. */
  synced = false

  /** @type {Watch<ProcessStateClient, any>} */
  #watch
  #socket

  /** @param {ProcessStateOptions} options */
  constructor({ url, token, onChange, onError }) {
    this.#watch = new Watch(/** @type {ProcessStateClient} */ (this), { onChange, onError })
    this.#socket = new ReconnectingSocket(endpoint(url, 'ws/'), {
      token,
      onOpen: () => this.#watch.changed(),
      onMessage: (message) => this.#receive(message),
      onDown: (error) => {
        this.synced = false
        this.#watch.failed(error)
        this.#watch.changed()
      },
      onRefused: (error) => {
        this.#watch.failed(error)
        this.close(error)
      },
    })
  }

  get connected() {
    return this.#socket.connected
  }

  /** Sessions to mark in a list: their agent waits for a person. */
  get waitingSessions() {
    return Object.keys(this.processStates).filter((sessionId) => this.getPendingRequest(sessionId))
  }

  /** @param {string} sessionId @returns {PendingRequest | null} */
  getPendingRequest(sessionId) {
    return this.processStates[sessionId]?.pending_request || null
  }

  /** Every open request, oldest first, also from a server that sends only the oldest. @param {string} sessionId */
  getPendingRequests(sessionId) {
    const oldest = this.getPendingRequest(sessionId)
    return oldest ? (this.processStates[sessionId]?.pending_requests ?? [oldest]) : []
  }

  /**
   * Only sends. That the response counted shows when a `process_state` no longer carries the request, here and in
   * every other client; `approve`, `deny` and `answer` wait for that.
   *
   * @param {string} sessionId
   * @param {string} requestId
   * @param {ResponseData} responseData
   */
  respondToPendingRequest(sessionId, requestId, responseData) {
    this.#socket.send({
      type: 'pending_request_response',
      session_id: sessionId,
      request_id: requestId,
      ...responseData,
    })
    this.responding.add(requestId)
    this.#watch.changed()
  }

  /**
   * @param {string} sessionId
   * @param {PendingRequest} request
   * @param {{ updatedInput?: object, signal?: AbortSignal }} [options] the tool's own input goes back unless changed
   */
  approve(sessionId, request, { updatedInput = request.tool_input, signal } = {}) {
    const response = { request_type: 'tool_approval', decision: 'allow', updated_input: updatedInput }
    return this.#respond(sessionId, request, /** @type {ResponseData} */ (response), signal)
  }

  /**
   * @param {string} sessionId
   * @param {PendingRequest} request
   * @param {{ message?: string, signal?: AbortSignal }} [options]
   */
  deny(sessionId, request, { message, signal } = {}) {
    const response = { request_type: 'tool_approval', decision: 'deny', message: message || undefined }
    return this.#respond(sessionId, request, /** @type {ResponseData} */ (response), signal)
  }

  /**
   * @param {string} sessionId
   * @param {PendingRequest} request
   * @param {Record<string, string | string[]>} answers by question text: a label, several labels, or free text
   * @param {{ signal?: AbortSignal }} [options]
   */
  answer(sessionId, request, answers, { signal } = {}) {
    const joined = Object.entries(answers).map(([text, value]) => [
      text,
      Array.isArray(value) ? value.join(', ') : value,
    ])
    const response = { request_type: 'ask_user_question', answers: Object.fromEntries(joined) }
    return this.#respond(sessionId, request, /** @type {ResponseData} */ (response), signal)
  }

  /**
   * @template T
   * @param {(client: ProcessStateClient, message?: any) => T} predicate
   * @param {{ signal?: AbortSignal }} [options]
   */
  waitFor(predicate, options) {
    return this.#watch.waitFor(predicate, options)
  }

  /** @param {Error} [reason] what those who wait are rejected with */
  close(reason) {
    this.synced = false
    this.#socket.close()
    this.#watch.close(reason)
  }

  /**
   * @param {string} sessionId
   * @param {PendingRequest} request
   * @param {ResponseData} response
   * @param {AbortSignal} [signal]
   * @returns {Promise<void>}
   */
  async #respond(sessionId, { request_id }, response, signal) {
    this.respondToPendingRequest(sessionId, request_id, response)
    await this.waitFor(
      (_client, message) => {
        if (message?.type === 'error' && message.request_id === request_id) throw toError(message)
        if (!this.getPendingRequests(sessionId).some((open) => open.request_id === request_id)) return true
        if (this.responding.has(request_id)) return false
        throw new ClientError('not_delivered', 'The connection was lost before the response arrived')
      },
      { signal },
    )
  }

  /** @param {any} message */
  #receive(message) {
    if (message.type === 'active_processes') {
      this.processStates = Object.create(null)
      for (const process of message.processes ?? []) this.#setProcessState(process)
      // What is still open now never reached the server over the last connection: it can be answered again.
      this.responding.clear()
      this.synced = true
    } else if (message.type === 'process_state') {
      this.#setProcessState(message)
      this.#forgetCleared()
    } else if (message.type === 'error') {
      this.responding.delete(message.request_id)
      this.#watch.failed(toError(message))
    }
    this.#watch.changed(message)
  }

  /** @param {any} info */
  #setProcessState({ type: _type, session_id, project_id, state, ...metadata }) {
    this.processStates[session_id] = {
      state,
      project_id,
      ...metadata,
      pending_request: metadata.pending_request || null,
    }
  }

  #forgetCleared() {
    const sessionIds = Object.keys(this.processStates)
    const open = new Set(sessionIds.flatMap((id) => this.getPendingRequests(id)).map((request) => request.request_id))
    for (const requestId of this.responding) if (!open.has(requestId)) this.responding.delete(requestId)
  }
}

/** @param {{ code?: string, message?: string, request_id?: string }} message */
function toError({ code = 'error', message, request_id }) {
  return new ClientError(
    code,
    message ?? `The server refused the response${request_id ? ` to ${request_id}` : ''}: ${code}`,
  )
}

await runInTerminal(import.meta.url, {
  usage: 'process-state.mjs --url URL [--token TOKEN] [--session ID]',
  purpose: 'Answer tool approvals and questions of all agents, or of one session.',
  connect: ({ url, token, onError }) => connectProcessState({ url, token, onError }),
  async main({ client, terminal, session }) {
    /** @type {Set<string>} */
    const skipped = new Set()
    const sessionIds = () => (session ? [session] : client.waitingSessions)
    const listOpen = () =>
      sessionIds().flatMap((sessionId) =>
        client.getPendingRequests(sessionId).map((request) => ({ sessionId, request })),
      )

    await client.waitFor(() => client.synced, { signal: terminal.ended })
    terminal.print(`Connected; ${listOpen().length} waiting.`)
    for (;;) {
      const next = () => listOpen().find(({ request }) => !skipped.has(request.request_id))
      const { sessionId, request } = await client.waitFor(next, { signal: terminal.ended })
      const isOpen = () => listOpen().some((open) => open.request.request_id === request.request_id)

      terminal.print(`\n${sessionId}`)
      if (request.request_type === 'ask_user_question') {
        const questions = /** @type {Question[]} */ (request.tool_input.questions)
        const picked = await terminal.whileOpen(client, isOpen, (signal) =>
          terminal.pick(questions, 'skip', { signal }),
        )
        if (picked) {
          const answers = Object.fromEntries(questions.map(({ question }, index) => [question, picked[index] ?? []]))
          await terminal.attempt(() => client.answer(sessionId, request, answers))
        } else skipped.add(request.request_id)
        continue
      }
      terminal.print(describeTool(request.tool_name, request.tool_input))
      const decision = await terminal.whileOpen(client, isOpen, (signal) =>
        terminal.decide(['allow', 'deny', 'skip'], { signal }),
      )
      if (decision?.verb === 'allow') await terminal.attempt(() => client.approve(sessionId, request))
      else if (decision?.verb === 'deny') await terminal.attempt(() => client.deny(sessionId, request, decision))
      else skipped.add(request.request_id)
    }
  },
})
