/** Whether the long sizes are wanted: `npm run test:long`. */
export const LONG = Boolean(process.env.HOLDPOINT_LONG)

/** How long one test may take at these sizes. */
export const TIMEOUT_MS = LONG ? 1_800_000 : 60_000

/** Tells how much was tried, for whoever reads the test's output. */
export function report(line: string) {
  console.error(line)
}
