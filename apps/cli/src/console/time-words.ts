const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const

/** How long ago, short: `12s`, `3m`, `2h`, `4d`. */
export function ageWords(milliseconds: number): string {
  for (const [unit, size] of UNITS) if (milliseconds >= size) return `${Math.floor(milliseconds / size)}${unit}`
  return `${Math.max(0, Math.floor(milliseconds / 1000))}s`
}

/** Date and time where the reader is, for example `2026-02-03 14:05:06`. */
export function timeWords(at: number): string {
  return new Date(at).toLocaleString('sv-SE')
}
