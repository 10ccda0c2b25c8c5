const LIMIT = 200

/** Of any length, as one line of a bounded one. */
export function shortText(value: string): string {
  const line = value.replace(/\s+/g, ' ').trim()
  return line.length > LIMIT ? `${line.slice(0, LIMIT - 3)}...` : line
}
