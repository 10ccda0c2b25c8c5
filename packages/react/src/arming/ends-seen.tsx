import { useCallback, useEffect, useRef, useState } from 'react'

export interface EndsSeen {
  /** Everything was on screen to its end. */
  readonly all: boolean
  mark(key: string): void
}

/** Keeps which of the named pieces of content have been on screen to their end (T26). */
export function useEndsSeen(keys: readonly string[], onAll: (() => void) | undefined): EndsSeen {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const mark = useCallback((key: string) => setSeen((before) => new Set(before).add(key)), [])
  const all = keys.every((key) => seen.has(key))
  useOnce(all, onAll)
  return { all, mark }
}

/** Calls back the first time that the condition holds. */
function useOnce(holds: boolean, callback: (() => void) | undefined) {
  const done = useRef(false)
  useEffect(() => {
    if (!holds || done.current) return
    done.current = true
    callback?.()
  }, [holds, callback])
}

/** Calls back once, when the element is on screen in a window that can be seen. */
export function useOnScreen(target: { readonly current: Element | null }, onSeen: (() => void) | undefined) {
  const latest = useRef(onSeen)
  latest.current = onSeen
  useEffect(() => {
    const element = target.current
    if (!element) return
    const observer = new IntersectionObserver((entries) => {
      if (document.visibilityState === 'hidden' || !entries.some((entry) => entry.isIntersecting)) return
      observer.disconnect()
      latest.current?.()
    })
    const again = () => {
      // Back in sight nothing has moved, so the observer would stay silent.
      observer.unobserve(element)
      observer.observe(element)
    }
    observer.observe(element)
    document.addEventListener('visibilitychange', again)
    return () => {
      observer.disconnect()
      document.removeEventListener('visibilitychange', again)
    }
  }, [target])
}
