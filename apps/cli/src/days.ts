import { InvalidArgumentError } from 'commander'

/** As the API has it. */
const MOST = 36_500

/** Whole days, such as `90d`. */
export function days(text: string): number {
  const [, number = ''] = /^(\d{1,5})d$/.exec(text) ?? []
  const found = Number(number)
  if (found < 1 || found > MOST) throw new InvalidArgumentError(`expected days, from 1d to ${MOST}d, such as 90d`)
  return found
}
