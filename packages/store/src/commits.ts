/** Tells followers that the log has grown. */
export class Commits {
  #count = 0
  #closed = false
  readonly #waiting = new Set<() => void>()

  /** Take it before reading: a commit between the read and the wait then ends the wait at once. */
  get count(): number {
    return this.#count
  }

  get closed(): boolean {
    return this.#closed
  }

  announce(): void {
    this.#count++
    this.#release()
  }

  close(): void {
    this.#closed = true
    this.#release()
  }

  /** Settles when there was a commit after `count`, when `signal` aborts, and when the store closes. */
  after(count: number, signal: AbortSignal): Promise<void> {
    if (this.#count !== count || this.#closed || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
    })
  }

  #release(): void {
    for (const done of [...this.#waiting]) done()
  }
}
