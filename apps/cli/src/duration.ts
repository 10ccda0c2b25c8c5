import { InvalidArgumentError } from 'commander'

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** As the API has it. */
const LONGEST = 365 * 86_400_000

/** Milliseconds of a time such as `90s`, `5m`, `2h` or `1d`. */
export function duration(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const milliseconds = Number(number) * (UNITS[unit] ?? 0)
  if (milliseconds === 0) throw new InvalidArgumentError('expected a time, such as 90s, 5m, 2h or 1d')
  if (milliseconds > LONGEST)
    throw new InvalidArgumentError('the longest time is 365d; leave the option out for no limit')
  return milliseconds
}
