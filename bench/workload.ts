/** Of one gateway: a multiple of what is in flight. */
export const AGENTS = 128

export interface Load {
  readonly inFlight: number
  readonly cycles: number
  /** Asks of calls in no folder: an allow needs no look at the agent's disk. */
  readonly isFolderless?: boolean
}

export interface Measured {
  /** One for each cycle, in milliseconds. */
  readonly latencies: readonly number[]
  readonly elapsedMs: number
}

/** Keeps `inFlight` cycles under way, each begun when the one before it in its lane is over. */
export async function runLoad(
  { inFlight, cycles }: Load,
  cycle: (lane: number, turn: number) => Promise<void>,
): Promise<Measured> {
  const latencies: number[] = []
  let begun = 0
  const from = performance.now()
  async function lane(number: number) {
    for (let turn = 0; begun < cycles; turn++) {
      begun++
      const begin = performance.now()
      await cycle(number, turn)
      latencies.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, number) => lane(number)))
  return { latencies, elapsedMs: performance.now() - from }
}
