/**
 * Runs work one at a time. Calls during a run share the next one, which begins after them: what it reads is new enough.
 */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  return function run(): Promise<void> {
    if (running) {
      next ??= running.then(() => {
        next = undefined
        return run()
      })
      return next
    }
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
}
