// A client of "AskUserQuestion Callbacks": one chat session over a WebSocket, with the questions its agent asks.
import { endpoint } from './lib/http.mjs'
import { ReconnectingSocket } from './lib/reconnecting-socket.mjs'
import { printable, runInTerminal } from './lib/terminal.mjs'
import { ClientError, Watch } from './lib/watch.mjs'

/**
 * @typedef {object} Question
 * @property {string} question
 * @property {string} [header]
 * @property {{ label: string, description?: string }[]} options
 * @property {boolean} [multiSelect]
 *
 * @typedef {object} AskedQuestion
 * @property {string} question_id
 * @property {Question[]} questions
 * @property {number} [timeout_seconds]
 *
 * @typedef {object} SessionStatus
 * @property {string} session_id
 * @property {boolean} is_processing
 * @property {boolean} waiting_for_user
 * @property {string | null} [pending_question_id]
 *
 * @typedef {object} AskUserOptions
 * @property {string} url the server's address, such as http://127.0.0.1:4680
 * @property {string} token
 * @property {string} sessionId
 * @property {(client: AskUserClient, message?: any) => void} [onChange] after every message and connection change
 * @property {(error: Error) => void} [onError] lost connections and what the server refused
 */

/** Connects at once and stays connected until `close()`. @param {AskUserOptions} options */
export function connectAskUser(options) {
  return new AskUserClient(options)
}

export class AskUserClient {
  /**
   * The question to show.
   *
   * @type {AskedQuestion | null}
   */
  question = null
  /**
   * What the server said last about the session.
   *
   * @type {SessionStatus | null}
   */
  status = null
  /** Another connection is the active one: responses from here are rejected until `reconnect()`. */
  taken = false

  /**
   * Sent, and neither confirmed nor refused yet.
   *
   * @type {AskedQuestion | null}
   */
  #submitted = null
  /** @type {Watch<AskUserClient, any>} */
  #watch
  #socket

  /** @param {AskUserOptions} options */
  constructor({ url, token, sessionId, onChange, onError }) {
    this.#watch = new Watch(/** @type {AskUserClient} */ (this), { onChange, onError })
    this.#socket = new ReconnectingSocket(endpoint(url, `ws/chat/${encodeURIComponent(sessionId)}`), {
      token,
      // Coming back by itself would take the session from whoever took it, and be thrown out again, for ever.
      mayReconnect: () => !this.taken,
      onOpen: () => {
        this.taken = false
        this.#watch.changed()
      },
      onMessage: (message) => this.#receive(message),
      onDown: (error) => {
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

  /** Whether the normal chat input is to be disabled. What is sent all the same, the server queues. */
  get inputDisabled() {
    return !this.connected || this.question !== null || this.status?.waiting_for_user === true
  }

  /**
   * Answers the shown question, which is then no longer shown; it comes back if the server refuses the response.
   *
   * @param {Record<string, string | string[]>} answers by question text: a label, several labels, or free text
   */
  answer(answers) {
    const joined = Object.entries(answers).map(([text, value]) => [
      text,
      Array.isArray(value) ? value.join(', ') : value,
    ])
    this.#respond(Object.fromEntries(joined), false)
  }

  /** Cancels the shown question; the server confirms with `ask_user_timeout`. */
  cancel() {
    this.#respond({}, true)
  }

  /** @param {string} text a chat message */
  send(text) {
    this.#socket.send({ type: 'message', data: { text } })
  }

  /** Makes this the active connection again after the session was taken. */
  reconnect() {
    this.#watch.closed.throwIfAborted()
    this.#socket.reconnect()
    this.#watch.changed()
  }

  /**
   * @template T
   * @param {(client: AskUserClient, message?: any) => T} predicate
   * @param {{ signal?: AbortSignal }} [options]
   */
  waitFor(predicate, options) {
    return this.#watch.waitFor(predicate, options)
  }

  /** @param {Error} [reason] what those who wait are rejected with */
  close(reason) {
    this.#socket.close()
    this.#watch.close(reason)
  }

  /**
   * @param {Record<string, string>} answers
   * @param {boolean} cancelled
   */
  #respond(answers, cancelled) {
    if (!this.question) throw new ClientError('no_question', 'No question is waiting for an answer')
    const { question_id } = this.question
    this.#socket.send({ type: 'ask_user_response', data: { question_id, answers, cancelled } })
    this.#submitted = this.question
    this.question = null
    this.#watch.changed()
  }

  /** @param {any} message */
  #receive(message) {
    if (message.type === 'ask_user_question') {
      const { type: _type, ...asked } = message
      this.question = asked
      // A replay of what was answered: the answer never arrived.
      this.#submitted = null
    } else if (message.type === 'ask_user_timeout') {
      this.#clear((questionId) => questionId === message.question_id)
    } else if (message.type === 'session_status') {
      const { type: _type, ...status } = message
      this.status = status
      const pending = status.waiting_for_user ? status.pending_question_id : null
      if (pending !== undefined) this.#clear((questionId) => questionId !== pending)
    } else if (message.type === 'error') {
      if (message.error === 'session_taken') this.taken = true
      if (!message.question_id || message.question_id === this.#submitted?.question_id) {
        this.question ??= this.#submitted
        this.#submitted = null
      }
      this.#watch.failed(
        new ClientError(message.error ?? 'error', message.message ?? `The server refused: ${message.error}`),
      )
    }
    this.#watch.changed(message)
  }

  /** @param {(questionId: string) => boolean} isOver */
  #clear(isOver) {
    if (this.question && isOver(this.question.question_id)) this.question = null
    if (this.#submitted && isOver(this.#submitted.question_id)) this.#submitted = null
  }
}

await runInTerminal(import.meta.url, {
  usage: 'ask-user.mjs --url URL [--token TOKEN] --session ID',
  purpose: 'Chat with the agent of one session and answer its questions.',
  needsSession: true,
  connect({ url, token, session, onError, terminal }) {
    return connectAskUser({
      url,
      token,
      sessionId: session,
      onError,
      onChange(_client, message) {
        if (!message || ['ask_user_question', 'session_status', 'error'].includes(message.type)) return
        if (message.type === 'ask_user_timeout') terminal.print(`The question has ended: ${message.error}`)
        else terminal.print(printable(JSON.stringify(message)))
      },
    })
  },
  async main({ client, terminal }) {
    await client.waitFor(() => client.connected, { signal: terminal.ended })
    terminal.print('Connected. Type a message; questions appear when the agent asks.')
    for (;;) {
      if (client.taken) {
        await terminal.ask('Another client has taken the session. Press Enter to take it back. ')
        client.reconnect()
        await client.waitFor(() => client.connected, { signal: terminal.ended })
        continue
      }
      const asked = client.question
      if (!asked) {
        const isFree = () => !client.inputDisabled && !client.taken
        const text = isFree()
          ? await terminal.whileOpen(client, isFree, (signal) => terminal.ask('> ', { signal }))
          : ''
        if (text?.trim()) await terminal.attempt(() => client.send(text))
        await client.waitFor(() => isFree() || client.question || client.taken, { signal: terminal.ended })
        continue
      }
      const isOpen = () => client.question?.question_id === asked.question_id && client.connected && !client.taken
      if (asked.timeout_seconds) terminal.print(`\nTo be answered within ${asked.timeout_seconds} seconds:`)
      const picked = await terminal.whileOpen(client, isOpen, (signal) =>
        terminal.pick(asked.questions, 'cancel', { signal }),
      )
      if (picked) {
        const answers = Object.fromEntries(
          asked.questions.map(({ question }, index) => [question, picked[index] ?? []]),
        )
        await terminal.attempt(() => client.answer(answers))
      } else if (isOpen()) await terminal.attempt(() => client.cancel())
      // The question stays shown while the connection is down; it is asked again once somebody could hear the answer.
      await client.waitFor(() => client.connected || client.taken, { signal: terminal.ended })
    }
  },
})
