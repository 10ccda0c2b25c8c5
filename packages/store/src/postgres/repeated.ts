/**
 * Work that is done again and again: soon after it was asked for, one at a time, and once more where that was asked for
 * meanwhile. Its faults are left to the next time.
 */
export class Repeated {
  readonly #work: () => Promise<unknown>
  #running: Promise<void> | undefined
  #isDue = false
  #isClosed = false

  constructor(work: () => Promise<unknown>) {
    this.#work = work
  }

  again(): void {
    if (this.#isClosed) return
    this.#isDue = true
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false
      await this.#work().catch(() => {})
    }
    this.#running = undefined
  }
}
