/** Time and timers, given from outside so that a test can hold them. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds since some moment in the past. Nobody sets this one: durations are measured with it (F28). */
  monotonic(): number
  /** Calls back once, not before `at`. Returns how to call it off. */
  wake(at: number, callback: () => void): () => void
  /** Calls back once, after so many milliseconds, whatever happens to the time of day. Returns how to call it off. */
  after(ms: number, callback: () => void): () => void
  /** Calls back soon, after what has already arrived was read: this is what lets commits be shared. */
  soon(callback: () => void): void
}
