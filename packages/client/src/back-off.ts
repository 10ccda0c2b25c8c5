const SHORTEST_MS = 250
const LONGEST_MS = 10_000
/** A gateway that is started anew is back soon: for about a minute nobody waits long for it. */
const LONGEST_AT_FIRST_MS = 2000
const TRIES_AT_FIRST = 40

/** How long to wait before the next try. Jittered, so that many clients do not come back all at once. */
export function backOffMs(failures: number, random: () => number): number {
  const longest = failures < TRIES_AT_FIRST ? LONGEST_AT_FIRST_MS : LONGEST_MS
  const ceiling = Math.min(longest, SHORTEST_MS * 2 ** failures)
  return ceiling * (0.5 + random() / 2)
}
