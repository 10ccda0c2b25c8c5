import type { Result } from '@holdpoint/client/gateway-client'
import { useCallback, useEffect, useState } from 'react'

export type Remote<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: Value }
  | { readonly state: 'failed'; readonly message: string }

export const UNREACHABLE = 'The gateway did not answer. Is it running, and is this device online?'

/** Reads something from the gateway; `again` reads it once more and keeps the old value until the new one has arrived. */
export function useRemote<Value>(read: () => Promise<Result<Value>>): { remote: Remote<Value>; again: () => void } {
  const [remote, setRemote] = useState<Remote<Value>>({ state: 'loading' })
  const [turn, setTurn] = useState(0)
  // A new turn is a new reading.
  useEffect(() => {
    let current = true
    settle(read()).then((result) => {
      if (!current) return
      setRemote(result.ok ? { state: 'ready', value: result.value } : { state: 'failed', message: result.message })
    })
    return () => {
      current = false
    }
  }, [read, turn])
  const again = useCallback(() => setTurn((number) => number + 1), [])
  return { remote, again }
}

/** A fault on the way becomes a refusal with words, for places that show both alike. */
export function settle<Value>(
  promise: Promise<Result<Value>>,
): Promise<{ ok: true; value: Value } | { ok: false; code: string; message: string; issues?: readonly string[] }> {
  return promise.catch(() => ({ ok: false as const, code: 'unreachable', message: UNREACHABLE }))
}
