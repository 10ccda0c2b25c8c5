const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A length of time in few letters: `8 s`, `3 min`, `2 h`, `5 d`. */
export function duration(milliseconds: number): string {
  const length = Math.max(0, milliseconds)
  if (length < MINUTE) return `${Math.floor(length / SECOND)} s`
  if (length < HOUR) return `${Math.floor(length / MINUTE)} min`
  if (length < DAY) return `${Math.floor(length / HOUR)} h`
  return `${Math.floor(length / DAY)} d`
}
