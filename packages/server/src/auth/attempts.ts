const WINDOW_MS = 60_000

/**
 * Counts failures in a sliding minute. Past the limit a failure is not told apart from a refusal to look. `monotonic`:
 * a clock that is set must neither open the gate nor keep it shut (F28).
 */
export function createAttempts(options: { monotonic: () => number; perSource: number; overall: number }) {
  const failures: { source: string; at: number }[] = []

  return {
    /** Notes a failure; says no when there were too many already, and notes nothing then. */
    failed(source: string): boolean {
      const at = options.monotonic()
      while (failures[0] && failures[0].at <= at - WINDOW_MS) failures.shift()
      const own = failures.filter((failure) => failure.source === source).length
      if (failures.length >= options.overall || own >= options.perSource) return false
      failures.push({ source, at })
      return true
    },
  }
}
export type Attempts = ReturnType<typeof createAttempts>
