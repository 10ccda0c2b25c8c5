/** A rule of the starter set: its pattern, calls that it fits, and calls that it must not fit. */
export type StarterRow = readonly [pattern: string, match: readonly string[], notMatch: readonly string[]]
