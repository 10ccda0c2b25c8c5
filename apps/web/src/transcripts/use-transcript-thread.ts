import { useTransport } from '@holdpoint/react/hooks/use-transport'
import type { NodeId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { settle } from '../parts/use-remote.ts'
import { type TranscriptCalls, transcriptCalls } from './transcript-calls.ts'

/** A page may have nothing to show though there are older ones: so many of those in a row are skipped at once. */
const EMPTY_PAGES = 8

export interface TranscriptThread {
  readonly state: 'loading' | 'ready' | 'failed'
  readonly message?: string
  readonly items: readonly Item[]
  readonly hasOlder: boolean
  readonly loadingOlder: boolean
  /** The same function from one rendering to the next. */
  loadOlder(): Promise<void>
  again(): void
}

interface Loaded {
  readonly state: TranscriptThread['state']
  readonly message?: string
  readonly items: readonly Item[]
  readonly before?: number
}

const LOADING: Loaded = { state: 'loading', items: [] }

/** The thread of a past session, from its end backwards as far as somebody scrolls. */
export function useTranscriptThread(id: string, node: NodeId | undefined): TranscriptThread {
  const transport = useTransport()
  const calls = useMemo(() => transcriptCalls(transport), [transport])
  const [loaded, setLoaded] = useState<Loaded>(LOADING)
  const [loadingOlder, setLoadingOlder] = useState(false)
  const [turn, setTurn] = useState(0)

  // A new turn is a new reading.
  useEffect(() => {
    let current = true
    setLoaded(LOADING)
    readPages(calls, id, node, undefined).then((result) => {
      if (current) setLoaded(result)
    })
    return () => {
      current = false
    }
  }, [calls, id, node, turn])

  const latest = useRef(loaded)
  latest.current = loaded
  const isBusy = useRef(false)
  const loadOlder = useCallback(async () => {
    const now = latest.current
    if (now.state !== 'ready' || now.before === undefined || isBusy.current) return
    isBusy.current = true
    setLoadingOlder(true)
    const older = await readPages(calls, id, node, now.before)
    isBusy.current = false
    setLoadingOlder(false)
    // A page that could not be read is asked for again with the next scroll.
    if (older.state !== 'ready') return
    setLoaded((before) =>
      before === now
        ? {
            state: 'ready',
            items: [...older.items, ...now.items],
            ...(older.before !== undefined && { before: older.before }),
          }
        : before,
    )
  }, [calls, id, node])

  return {
    state: loaded.state,
    ...(loaded.message !== undefined && { message: loaded.message }),
    items: loaded.items,
    hasOlder: loaded.before !== undefined,
    loadingOlder,
    loadOlder,
    again: () => setTurn(turn + 1),
  }
}

async function readPages(
  calls: TranscriptCalls,
  id: string,
  node: NodeId | undefined,
  from: number | undefined,
): Promise<Loaded> {
  let before = from
  for (let pages = 0; ; pages++) {
    const result = await settle(calls.items(id, { before, node }))
    if (!result.ok) return { state: 'failed', message: result.message, items: [] }
    const { items, nextBefore } = result.value
    if (items.length > 0 || nextBefore === undefined || pages >= EMPTY_PAGES) {
      return { state: 'ready', items, ...(nextBefore !== undefined && { before: nextBefore }) }
    }
    before = nextBefore
  }
}
