import type { Ask } from '@holdpoint/schema/ask'
import { useCallback, useRef, useState } from 'react'
import { useClient } from './holdpoint-provider.tsx'

export interface WholeAsk {
  /** Missing until it was loaded, where the list left something out. */
  readonly whole: Ask | undefined
  readonly isLoading: boolean
  /** Why it could not be loaded. */
  readonly error: string | undefined
  load(): void
}

/** An ask with all that it asks for: lists and streams leave out what is large. */
export function useWholeAsk(ask: Ask | undefined): WholeAsk {
  const client = useClient()
  const [loaded, setLoaded] = useState<Ask>()
  const [error, setError] = useState<string>()
  const [isLoading, setLoading] = useState(false)
  const isUnderWay = useRef(false)
  const load = useCallback(() => {
    if (!ask?.omitted || isUnderWay.current) return
    isUnderWay.current = true
    setLoading(true)
    setError(undefined)
    client
      .wholeAsk(ask)
      .then(
        (result) => (result.ok ? setLoaded(result.value) : setError(result.message)),
        () => setError('It could not be loaded.'),
      )
      .finally(() => {
        isUnderWay.current = false
        setLoading(false)
      })
  }, [client, ask])
  const whole = ask?.omitted ? (loaded?.id === ask.id ? loaded : undefined) : ask
  return { whole, isLoading, error, load }
}
