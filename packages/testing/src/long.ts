/** Whether the long sizes are wanted: `npm run test:long`. */
export const LONG = Boolean(process.env.HOLDPOINT_LONG)

/** Tells how much was tried, for whoever reads the test's output. */
export function report(line: string) {
  console.error(line)
}
