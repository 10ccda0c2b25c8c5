/** A rule of the starter set: its pattern, calls that it must match, and calls that it must not match. */
export type StarterRow = readonly [pattern: string, match: readonly string[], notMatch: readonly string[]]
