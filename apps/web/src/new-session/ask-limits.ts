const FOR_EVER = 'for-ever'
const USUAL = [300_000, 3_600_000, 86_400_000]
const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
] as const

/** How long asks may wait: for ever, a few usual times, and the one that the gateway was started with. */
export function askLimits(ofGateway: number | undefined) {
  const times = [...new Set([...USUAL, ...(ofGateway === undefined ? [] : [ofGateway])])].sort((a, b) => a - b)
  return [
    { value: FOR_EVER, label: 'Forever' },
    ...times.map((time) => ({ value: String(time), label: limitWords(time) })),
  ]
}

export function initialLimit(ofGateway: number | undefined): string {
  return ofGateway === undefined ? FOR_EVER : String(ofGateway)
}

/** As a session is started with it. For ever has to be said: the gateway may have a limit. */
export function limitOf(value: string): number | null {
  return value === FOR_EVER ? null : Number(value)
}

/** As long as it is, in the largest unit that fits: `5 minutes`. */
export function limitWords(time: number): string {
  const [length, unit] = UNITS.find(([each]) => time % each === 0) ?? [1, 'millisecond']
  const count = time / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
