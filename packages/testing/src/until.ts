/** Looks again and again until there is something to see; fails when something hangs. */
export async function until<Value>(
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  what: string,
  deadlineMs = 30_000,
): Promise<Value> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`gave up waiting for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
}
