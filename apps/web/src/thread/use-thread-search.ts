import { request } from '@holdpoint/client/calls'
import { useTransport } from '@holdpoint/react/hooks/use-transport'
import type { FoundItem } from '@holdpoint/schema/endpoints/sessions'
import type { SessionId } from '@holdpoint/schema/id'
import { paths } from '@holdpoint/schema/paths'
import { useEffect, useState } from 'react'
import { settle } from '../parts/use-remote.ts'
import { useSettled } from '../parts/use-settled.ts'

/** Nobody goes through more of them. */
const MOST = 1000

export interface ThreadSearchState {
  /** Newest first. */
  readonly found: readonly FoundItem[]
  readonly busy: boolean
  /** There are more than these. */
  readonly isCut: boolean
  readonly failure?: string
}

const NOTHING: ThreadSearchState = { found: [], busy: false, isCut: false }

/** Looks through all of a session's thread at the gateway, reply after reply. */
export function useThreadSearch(sessionId: SessionId, words: string): ThreadSearchState {
  const transport = useTransport()
  const text = useSettled(words.trim())
  const [state, setState] = useState(NOTHING)
  useEffect(() => {
    if (text === '') return setState(NOTHING)
    let current = true
    async function look() {
      setState({ ...NOTHING, busy: true })
      let found: readonly FoundItem[] = []
      let before: number | undefined
      do {
        const query = { text, before }
        const reply = await settle(request(transport, paths.sessions.find, { params: { id: sessionId }, query }))
        if (!current) return
        if (!reply.ok) return setState({ found, busy: false, isCut: true, failure: reply.message })
        found = [...found, ...reply.value.found]
        before = reply.value.nextBefore
        const isDone = before === undefined || found.length >= MOST
        setState({ found, busy: !isDone, isCut: before !== undefined })
      } while (before !== undefined && found.length < MOST)
    }
    void look()
    return () => {
      current = false
    }
  }, [transport, sessionId, text])
  return state
}
