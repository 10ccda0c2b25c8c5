/** Those who wait for a value by its key. Several may wait for one. */
export function createWaiters<Key, Value>() {
  const waiting = new Map<Key, Set<{ resolve: (value: Value) => void; reject: (error: unknown) => void }>>()
  let closed: Error | undefined

  return {
    /** Aborting rejects with the signal's reason and leaves the others waiting. */
    wait(key: Key, signal: AbortSignal): Promise<Value> {
      if (closed) return Promise.reject(closed)
      return new Promise((resolve, reject) => {
        const set = waiting.get(key) ?? new Set()
        waiting.set(key, set)
        const leave = () => {
          signal.removeEventListener('abort', onAbort)
          set.delete(waiter)
          if (set.size === 0) waiting.delete(key)
        }
        const onAbort = () => {
          leave()
          reject(signal.reason)
        }
        const waiter = {
          resolve: (value: Value) => {
            leave()
            resolve(value)
          },
          reject: (error: unknown) => {
            leave()
            reject(error)
          },
        }
        set.add(waiter)
        signal.addEventListener('abort', onAbort, { once: true })
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
