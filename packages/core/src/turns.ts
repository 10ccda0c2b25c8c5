/** Runs what has the same key one after another: the next begins when the one before is over, however it ended. */
export function createTurns<Key>() {
  const last = new Map<Key, Promise<unknown>>()

  return async <Value>(key: Key, act: () => Promise<Value>): Promise<Value> => {
    const mine = Promise.resolve(last.get(key)).then(act, act)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

/** The same for all of one thing: one after another. */
export function createTurn() {
  const inTurn = createTurns<'all'>()
  return <Value>(act: () => Promise<Value>): Promise<Value> => inTurn('all', act)
}
