import WebSocket from 'ws'
import { backOff, isFinal, parseFrame } from './http.mjs'
import { ClientError } from './watch.mjs'

const HEARTBEAT_MS = 30_000
const HANDSHAKE_MS = 10_000
const GOODBYE_MS = 500

/** A WebSocket of JSON messages that opens itself again until it is closed or the server refuses it for good. */
export class ReconnectingSocket {
  #url
  #options
  /** @type {WebSocket | null} */
  #socket = null
  /** @type {NodeJS.Timeout | undefined} */
  #retry
  #failures = 0
  #isClosed = false

  /**
   * @param {URL} url an http(s) address
   * @param {object} options
   * @param {string} options.token
   * @param {() => void} options.onOpen
   * @param {(message: any) => void} options.onMessage
   * @param {(error: ClientError) => void} options.onDown the connection is lost, or could not be made
   * @param {(error: ClientError) => void} options.onRefused the server will not have this client; nothing is retried
   * @param {() => boolean} [options.mayReconnect]
   */
  constructor(url, options) {
    this.#url = new URL(url)
    this.#url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    this.#options = options
    this.#open()
  }

  get connected() {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** @param {unknown} message */
  send(message) {
    if (!this.#socket || !this.connected) throw new ClientError('not_connected', 'Not connected to the server')
    this.#socket.send(JSON.stringify(message))
  }

  /** Leaves the present connection, if any, for a new one. */
  reconnect() {
    this.close()
    this.#open()
  }

  close() {
    this.#isClosed = true
    clearTimeout(this.#retry)
    const socket = this.#socket
    this.#socket = null
    if (socket?.readyState === WebSocket.OPEN) {
      // What was sent last still goes out; a server that never says goodbye is not waited for.
      socket.close(1000)
      setTimeout(() => socket.terminate(), GOODBYE_MS).unref()
    } else socket?.terminate()
  }

  #open() {
    this.#isClosed = false
    const { token, onOpen, onMessage, onDown, onRefused, mayReconnect = () => true } = this.#options
    const headers = { authorization: `Bearer ${token}` }
    const socket = new WebSocket(this.#url, { headers, handshakeTimeout: HANDSHAKE_MS })
    this.#socket = socket
    const isCurrent = () => this.#socket === socket
    /** @type {number | undefined} */
    let status
    /** @type {unknown} */
    let cause
    let isAlive = true
    const heartbeat = setInterval(() => {
      if (!isAlive) return socket.terminate()
      isAlive = socket.readyState !== WebSocket.OPEN
      if (!isAlive) socket.ping()
    }, HEARTBEAT_MS)

    socket.on('pong', () => {
      isAlive = true
    })
    socket.on('unexpected-response', (_request, response) => {
      status = response.statusCode
      socket.terminate()
    })
    socket.on('error', (error) => {
      cause = error
    })
    socket.on('open', () => {
      if (isCurrent()) onOpen()
    })
    socket.on('message', (data) => {
      if (!isCurrent()) return
      let message
      try {
        message = parseFrame(String(data))
      } catch {
        return socket.terminate()
      }
      // Only now: a server that accepts and at once hangs up must not be called in a tight loop.
      this.#failures = 0
      onMessage(message)
    })
    socket.on('close', (code) => {
      clearInterval(heartbeat)
      if (!isCurrent()) return
      this.#socket = null
      if (isFinal(status)) return onRefused(new ClientError('refused', `The server refused with ${status}`, { status }))
      onDown(new ClientError('disconnected', `Connection lost (${status ?? code})`, { status, cause }))
      // onDown may have closed this, or reconnected.
      if (this.#isClosed || this.#socket || !mayReconnect()) return
      this.#failures += 1
      this.#retry = setTimeout(() => this.#open(), backOff(this.#failures))
    })
  }
}
