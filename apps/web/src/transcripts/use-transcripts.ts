import { useTransport } from '@holdpoint/react/hooks/use-transport'
import type { Transcript } from '@holdpoint/schema/endpoints/transcripts'
import type { NodeId } from '@holdpoint/schema/id'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Remote, settle } from '../parts/use-remote.ts'
import { transcriptCalls } from './transcript-calls.ts'

interface Loaded {
  readonly transcripts: readonly Transcript[]
  readonly next: string | undefined
}

/** The conversations of one machine whose folder fits, page by page. */
export function useTranscripts(folder: string, node: NodeId | undefined) {
  const transport = useTransport()
  const calls = useMemo(() => transcriptCalls(transport), [transport])
  const [remote, setRemote] = useState<Remote<Loaded>>({ state: 'loading' })
  const [turn, setTurn] = useState(0)
  const [loadingMore, setLoadingMore] = useState(false)
  const shownNode = useRef(node)
  const [moreFailure, setMoreFailure] = useState<string>()

  // A new turn is a new reading.
  useEffect(() => {
    let current = true
    setMoreFailure(undefined)
    if (node !== shownNode.current) setRemote({ state: 'loading' })
    shownNode.current = node
    settle(calls.list({ folder, node })).then((result) => {
      if (!current) return
      setRemote(
        result.ok
          ? { state: 'ready', value: { transcripts: result.value.transcripts, next: result.value.next } }
          : { state: 'failed', message: result.message },
      )
    })
    return () => {
      current = false
    }
  }, [calls, folder, node, turn])

  const loadMore = useCallback(async () => {
    if (remote.state !== 'ready' || remote.value.next === undefined) return
    const before = remote.value
    setLoadingMore(true)
    setMoreFailure(undefined)
    const result = await settle(calls.list({ folder, node, after: before.next ?? '' }))
    setLoadingMore(false)
    if (!result.ok) return setMoreFailure(result.message)
    const { transcripts, next } = result.value
    setRemote((now) =>
      // Another folder may have been asked for in the meantime.
      now.state === 'ready' && now.value === before
        ? { state: 'ready', value: { transcripts: joined(before.transcripts, transcripts), next } }
        : now,
    )
  }, [calls, folder, node, remote])

  return { remote, again: () => setTurn(turn + 1), loadMore, loadingMore, moreFailure }
}

/** One that somebody wrote to in between is on both pages. */
function joined(before: readonly Transcript[], more: readonly Transcript[]): readonly Transcript[] {
  const known = new Set(before.map(({ id }) => id))
  return [...before, ...more.filter(({ id }) => !known.has(id))]
}
