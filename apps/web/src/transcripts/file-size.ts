const UNITS = ['B', 'KB', 'MB', 'GB'] as const
const STEP = 1024

/** `12 KB`, `3.4 MB`. */
export function fileSize(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit += 1
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`
}
