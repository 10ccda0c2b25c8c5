const WINDOW_MS = 60_000

/** Counts failures in a sliding minute; past the limit nothing more is looked at. */
export function createAttempts(options: { now: () => number; perSource: number; overall: number }) {
  const failures: { source: string; at: number }[] = []

  const recent = () => {
    const from = options.now() - WINDOW_MS
    while (failures[0] && failures[0].at <= from) failures.shift()
    return failures
  }

  return {
    mayTry(source: string): boolean {
      const all = recent()
      return (
        all.length < options.overall && all.filter((failure) => failure.source === source).length < options.perSource
      )
    },
    failed(source: string) {
      failures.push({ source, at: options.now() })
    },
  }
}
