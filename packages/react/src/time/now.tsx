import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function subscribe(listener: () => void) {
  // The last value is stale: nothing was subscribed for a while.
  if (listeners.size === 0) now = Date.now()
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, once a second: one timer for the whole page. */
export function useNow(): number {
  return useNowAs(itself)
}

/** What is made of the time, once a second; renders again only when that is another value. */
export function useNowAs<Made extends string | number | boolean>(make: (now: number) => Made): Made {
  return useSyncExternalStore(subscribe, () => make(now))
}

function itself(time: number): number {
  return time
}
