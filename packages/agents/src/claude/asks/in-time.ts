const LIMIT_MS = 10_000

/** Work that may never come to an end: then it is not waited for. */
export async function inTime<Value>(work: Promise<Value>, who = 'the agent'): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${who} does not answer`)), LIMIT_MS)
    timer.unref()
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
