/**
 * Work that looks at how things stand. One at a time; whoever asks during a look gets the next one, which begins after
 * they asked, and shares it with all others who did.
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
