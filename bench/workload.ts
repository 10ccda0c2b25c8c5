export interface Load {
  readonly inFlight: number
  readonly cycles: number
}

export interface Measured {
  /** One for each cycle, in milliseconds. */
  readonly latencies: readonly number[]
  readonly elapsedMs: number
}

/** Keeps `inFlight` cycles under way, each begun when the one before it in its lane is over. */
export async function runLoad({ inFlight, cycles }: Load, cycle: (lane: number) => Promise<void>): Promise<Measured> {
  const latencies: number[] = []
  let begun = 0
  const from = performance.now()
  async function lane(number: number) {
    while (begun < cycles) {
      begun++
      const begin = performance.now()
      await cycle(number)
      latencies.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, number) => lane(number)))
  return { latencies, elapsedMs: performance.now() - from }
}
