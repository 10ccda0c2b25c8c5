const CONTROL_MS = 10_000

/** The agent may never answer a request of ours: then it is not waited for. */
export function inTime(work: Promise<void>): Promise<void> {
  const late = new Promise<void>((_, reject) => {
    setTimeout(() => reject(new Error('the agent does not answer')), CONTROL_MS).unref()
  })
  return Promise.race([work, late])
}
