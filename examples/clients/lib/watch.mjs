/** Something went wrong; `code` is for programs, `message` for people, `status` is set when HTTP said it. */
export class ClientError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {{ status?: number, cause?: unknown }} [details]
   */
  constructor(code, message, { status, cause } = {}) {
    super(message, { cause })
    this.name = 'ClientError'
    this.code = code
    this.status = status
  }
}

/**
 * Tells others that a client's state has moved, so that nobody needs to poll it.
 *
 * @template Client
 * @template Event
 */
export class Watch {
  #client
  #onChange
  #onError
  /** @type {Set<(event?: Event) => void>} */
  #checks = new Set()
  #closing = new AbortController()

  /**
   * @param {Client} client
   * @param {{ onChange?: (client: Client, event?: Event) => void, onError?: (error: Error) => void }} callbacks
   */
  constructor(client, { onChange = () => {}, onError = (error) => console.error(error) }) {
    this.#client = client
    this.#onChange = onChange
    this.#onError = onError
  }

  /** Aborted, with the reason, once the client is closed. */
  get closed() {
    return this.#closing.signal
  }

  /** @param {Event} [event] what the server sent, when that is why the state moved */
  changed(event) {
    if (this.closed.aborted) return
    this.#onChange(this.#client, event)
    for (const check of [...this.#checks]) check(event)
  }

  /** @param {Error} error */
  failed(error) {
    if (!this.closed.aborted) this.#onError(error)
  }

  /**
   * Resolves with the first truthy value that `predicate` returns. It is asked at once, and again after every change,
   * together with the event behind that change: no state in between is missed.
   *
   * @template T
   * @param {(client: Client, event?: Event) => T} predicate
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<NonNullable<T>>}
   */
  waitFor(predicate, { signal } = {}) {
    const stop = signal ? AbortSignal.any([signal, this.closed]) : this.closed
    return new Promise((resolve, reject) => {
      const finish = () => {
        this.#checks.delete(check)
        stop.removeEventListener('abort', abandon)
      }
      const abandon = () => {
        finish()
        reject(stop.reason)
      }
      /** @param {Event} [event] */
      const check = (event) => {
        try {
          const value = predicate(this.#client, event)
          if (!value) return
          finish()
          resolve(value)
        } catch (error) {
          finish()
          reject(error)
        }
      }
      if (stop.aborted) return abandon()
      stop.addEventListener('abort', abandon)
      this.#checks.add(check)
      check()
    })
  }

  /** Whoever waits is rejected with `reason`. @param {Error} [reason] */
  close(reason = new ClientError('closed', 'The client was closed')) {
    this.#closing.abort(reason)
  }
}
