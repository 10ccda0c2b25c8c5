/** Conversations before those that count: a gateway runs for days, and its code is compiled after some hundred calls. */
const WARM_UP = 12

type Rounds = readonly (readonly number[])[]

export interface Measured {
  /** The first conversation after the start. */
  readonly cold: readonly number[]
  readonly rounds: Rounds
}

/** Runs each way in turn. Who comes first changes: a machine that gets slower or faster meanwhile favours nobody. */
export async function alternating<Way extends string>(
  ways: Readonly<Record<Way, () => Promise<readonly number[]>>>,
  rounds: number,
): Promise<Readonly<Record<Way, Measured>>> {
  const each = Object.entries<() => Promise<readonly number[]>>(ways).map(([name, run]) => ({
    name,
    run,
    times: [] as (readonly number[])[],
  }))
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const { run, times } of round % 2 === 0 ? each : each.toReversed()) times.push(await run())
  }
  const measured = each.map(({ name, times }) => [name, { cold: times[0] ?? [], rounds: times.slice(WARM_UP) }])
  return Object.fromEntries(measured) as Record<Way, Measured>
}
