/** Runs a bounded number of jobs at once; the others wait their turn. */
export function createSlots(count: number) {
  const waiting: (() => void)[] = []
  let busy = 0

  return async function inSlot<Result>(job: () => Promise<Result>): Promise<Result> {
    if (busy >= count) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy++
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else busy--
    }
  }
}
