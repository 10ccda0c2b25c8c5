import { useEffect, useRef } from 'react'
import { UNREACHABLE } from '../parts/use-remote.ts'

type Replied<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string }

const PAUSE_MS = 250

/** Asks the gateway once somebody has stopped typing. Only the reply to what is wanted now counts. */
export function useReply<Value>(
  /** What is asked about; nothing is asked without it. */
  wanted: string | undefined,
  ask: () => Promise<Replied<Value>>,
  onReply: (reply: Replied<Value>) => void,
  /** What the reply depends on besides: when this changes, the same is asked again. */
  given?: unknown,
): void {
  const latest = useRef({ ask, onReply })
  latest.current = { ask, onReply }
  useEffect(() => {
    if (wanted === undefined) return
    let current = true
    const timer = setTimeout(() => {
      latest.current.ask().then(
        (reply) => current && latest.current.onReply(reply),
        () => current && latest.current.onReply({ ok: false, message: UNREACHABLE }),
      )
    }, PAUSE_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [wanted, given])
}
