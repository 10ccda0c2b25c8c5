/** The first looks come quickly. Later ones do not: what is looked at works on the same cores. */
const FIRST_PAUSE_MS = 8
const LONGEST_PAUSE_MS = 60

/** Looks again and again until there is something to see; fails when something hangs. */
export async function until<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  what: string,
  deadlineMs = 30_000,
): Promise<Value> {
  const end = performance.now() + deadlineMs
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`gave up waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
