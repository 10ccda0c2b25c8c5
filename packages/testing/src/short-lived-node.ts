/**
 * For programs that a test ends after seconds. SQLite runs as WebAssembly where Node has none of its own: optimizing it is half of
 * what the start of a gateway costs, and pays only in one that runs for minutes.
 */
export const SHORT_LIVED_NODE: readonly string[] = ['--liftoff-only']
