export interface Portion<T> {
  readonly shown: readonly T[]
  /** What the rest costs; 0 when there is none. */
  readonly left: number
}

/** As many items from the start as the limit allows, and at least one, so that every step gets further. */
export function portion<T>(all: readonly T[], costOf: (item: T) => number, limit: number): Portion<T> {
  let spent = 0
  let count = 0
  let left = 0
  for (const item of all) {
    const cost = costOf(item)
    if (left > 0 || (count > 0 && spent + cost > limit)) left += cost
    else {
      spent += cost
      count++
    }
  }
  return left === 0 ? { shown: all, left } : { shown: all.slice(0, count), left }
}
