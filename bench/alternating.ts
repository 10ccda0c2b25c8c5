/** Conversations before those that count: a gateway runs for days, and its code is compiled after some hundred calls. */
const WARM_UP = 12

type Rounds = readonly (readonly number[])[]

export interface Measured {
  /** The first conversation after the start. */
  readonly cold: readonly number[]
  readonly rounds: Rounds
}

/** Each way in turn, and what each round gave. Who comes first changes: a machine that gets slower or faster meanwhile favours nobody. */
export async function inTurns<Way extends string, Result>(
  ways: Readonly<Record<Way, () => Promise<Result>>>,
  rounds: number,
): Promise<Readonly<Record<Way, readonly Result[]>>> {
  const each = Object.entries<() => Promise<Result>>(ways).map(([name, run]) => ({
    name,
    run,
    results: [] as Result[],
  }))
  for (let round = 0; round < rounds; round++) {
    for (const { run, results } of round % 2 === 0 ? each : each.toReversed()) results.push(await run())
  }
  const all: Record<string, readonly Result[]> = Object.fromEntries(each.map(({ name, results }) => [name, results]))
  return all as Record<Way, readonly Result[]>
}

/** The same for conversations, after some that do not count. */
export async function alternating<Way extends string>(
  ways: Readonly<Record<Way, () => Promise<readonly number[]>>>,
  rounds: number,
): Promise<Readonly<Record<Way, Measured>>> {
  const all = await inTurns(ways, WARM_UP + rounds)
  const measured = Object.entries<Rounds>(all).map(([name, times]) => [
    name,
    { cold: times[0] ?? [], rounds: times.slice(WARM_UP) },
  ])
  return Object.fromEntries(measured) as Record<Way, Measured>
}
