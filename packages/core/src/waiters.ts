interface Waiter<Value> {
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/** Those who wait for a value by its key. Several may wait for one. */
export function createWaiters<Key, Value>() {
  const waiting = new Map<Key, Set<Waiter<Value>>>()
  /** Hundreds may wait under one signal: it gets one listener, not hundreds. */
  const bySignal = new WeakMap<AbortSignal, Set<Waiter<Value>>>()
  let closed: Error | undefined

  function under(signal: AbortSignal): Set<Waiter<Value>> {
    const known = bySignal.get(signal)
    if (known) return known
    const waiters = new Set<Waiter<Value>>()
    bySignal.set(signal, waiters)
    signal.addEventListener(
      'abort',
      () => {
        for (const waiter of [...waiters]) waiter.reject(signal.reason)
      },
      { once: true },
    )
    return waiters
  }

  return {
    /** Aborting rejects with the signal's reason and leaves the others waiting. */
    wait(key: Key, signal: AbortSignal): Promise<Value> {
      if (closed) return Promise.reject(closed)
      if (signal.aborted) return Promise.reject(signal.reason)
      return new Promise((resolve, reject) => {
        const set = waiting.get(key) ?? new Set()
        waiting.set(key, set)
        const companions = under(signal)
        const leave = () => {
          companions.delete(waiter)
          set.delete(waiter)
          if (set.size === 0) waiting.delete(key)
        }
        const waiter: Waiter<Value> = {
          resolve: (value) => {
            leave()
            resolve(value)
          },
          reject: (error) => {
            leave()
            reject(error)
          },
        }
        set.add(waiter)
        companions.add(waiter)
      })
    },
    resolve(key: Key, value: Value) {
      for (const waiter of [...(waiting.get(key) ?? [])]) waiter.resolve(value)
    },
    /** Rejects everyone: nobody is left hanging when the gateway goes. */
    close() {
      closed = new Error('the gateway is shutting down')
      for (const set of [...waiting.values()]) for (const waiter of [...set]) waiter.reject(closed)
    },
  }
}
