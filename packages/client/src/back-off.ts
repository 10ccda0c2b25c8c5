const SHORTEST_MS = 250
const LONGEST_MS = 10_000

/** How long to wait before the next try. Jittered, so that many clients do not come back all at once. */
export function backOffMs(failures: number, random: () => number): number {
  const ceiling = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** failures)
  return ceiling * (0.5 + random() / 2)
}
