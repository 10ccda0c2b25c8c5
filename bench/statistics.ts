export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))]
  if (value === undefined) throw new RangeError('nothing was measured')
  return value
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** `1.2 / 3.4 / 5.6 ms`, as p50, p95 and p99. */
export function spread(values: readonly number[]): string {
  return `${[0.5, 0.95, 0.99].map((fraction) => short(percentile(values, fraction))).join(' / ')} ms`
}

export function short(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
