import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { useCallback, useRef, useState } from 'react'
import { useClient } from '../providers/holdpoint-provider.tsx'

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
  const [latest, setLatest] = useState<Loading>()
  const underWay = useRef<AskId>(undefined)
  const load = useCallback(() => {
    if (!ask?.omitted || underWay.current === ask.id) return
    const { id } = ask
    underWay.current = id
    setLatest({ id, isLoading: true })
    const done = (how: Pick<Loading, 'whole' | 'error'>) => {
      // Another is loaded by now: its state is not this one's.
      if (underWay.current !== id) return
      underWay.current = undefined
      setLatest({ id, isLoading: false, ...how })
    }
    client.wholeAsk(ask).then(
      (result) => done(result.ok ? { whole: result.value } : { error: result.message }),
      () => done({ error: 'It could not be loaded.' }),
    )
  }, [client, ask])
  const own = latest?.id === ask?.id ? latest : undefined
  return { whole: ask?.omitted ? own?.whole : ask, isLoading: own?.isLoading ?? false, error: own?.error, load }
}

interface Loading {
  readonly id: AskId
  readonly isLoading: boolean
  readonly whole?: Ask
  readonly error?: string
}
