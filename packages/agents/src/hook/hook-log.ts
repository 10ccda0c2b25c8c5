import { appendFileSync, rmSync, statSync } from 'node:fs'

const MAX_BYTES = 256 * 1024

/** One line for whoever wonders why nothing was asked. Starts over when it is full; never in the way of the hook. */
export function logLine(dataDir: string, words: string): void {
  const path = `${dataDir}/hook.log`
  const line = `${new Date().toISOString()} ${words.replace(/\s+/g, ' ').slice(0, 500)}\n`
  try {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size + Buffer.byteLength(line) > MAX_BYTES) rmSync(path, { force: true })
    appendFileSync(path, line, { mode: 0o600 })
  } catch {
    // Nobody reads it then.
  }
}
