/** Of one statement. */
const MOST = 512
const LONGEST = 1_000_000

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends one statement at a time: what comes while it is under way goes together in the next one. So many callers share a
 * round trip and a commit. `send` gives a result for each, in their order; where it rejects, it does so for each.
 */
export function createGroups<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
  /** Characters of one, so that a statement does not become too long. */
  lengthOf: (item: Item) => number,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let isSending = false

  function next(): readonly Waiting<Item, Result>[] {
    let length = 0
    let count = 0
    for (const { item } of waiting.slice(0, MOST)) {
      length += lengthOf(item)
      if (count > 0 && length > LONGEST) break
      count++
    }
    const group = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return group
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const group = next()
      try {
        const results = await send(group.map(({ item }) => item))
        for (const [n, { resolve }] of group.entries()) resolve(results[n] as Result)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    isSending = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isSending) return
      isSending = true
      // What comes in the same turn shares the first one.
      setImmediate(sendAll)
    })
}
