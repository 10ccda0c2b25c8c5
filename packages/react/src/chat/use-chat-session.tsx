import type { FollowOptions } from '@holdpoint/client/transport'
import { useCallback, useEffect, useReducer, useRef } from 'react'
import { useTransport } from '../hooks/use-transport.tsx'
import { type ChatState, chatReducer, NOTHING_SAID } from './chat-state.ts'

export type { ChatMessage, ChatState, ToolCallState } from './chat-state.ts'

export interface ChatSession extends ChatState {
  /** Sends a message and follows its turn. Never rejects: what goes wrong is in `error`. */
  sendMessage(content: string): Promise<void>
  /** Follows the turn that runs, as it is done at first: after a fault, or one that was begun elsewhere. */
  join(): Promise<void>
}

/** A session as the transport above streams it: from now on, with what waits for a person at once. Give it a `key`. */
export function useChatSession(sessionId: string): ChatSession {
  const transport = useTransport()
  const [state, dispatch] = useReducer(chatReducer, NOTHING_SAID)
  const current = useRef<AbortController>(undefined)

  /** One stream at a time: the newer one tells everything that the older one would. */
  const follow = useCallback(async (start: (options: FollowOptions) => Promise<void>, content?: string) => {
    current.current?.abort()
    const own = new AbortController()
    current.current = own
    const isOver = () => own.signal.aborted
    dispatch({ type: 'following', ...(content !== undefined && { content }) })
    try {
      await start({ signal: own.signal, onEvent: (event) => isOver() || dispatch({ type: 'event', event }) })
      if (!isOver()) dispatch({ type: 'ended' })
    } catch (fault) {
      if (!isOver()) dispatch({ type: 'ended', error: fault instanceof Error ? fault.message : String(fault) })
    }
  }, [])
  const join = useCallback(
    () => follow((options) => transport.joinTurn(sessionId, options)),
    [follow, transport, sessionId],
  )
  const sendMessage = useCallback(
    (content: string) => follow((options) => transport.sendMessage(sessionId, content, options), content),
    [follow, transport, sessionId],
  )
  useEffect(() => {
    void join()
    // Leaves the stream, not the turn.
    return () => current.current?.abort()
  }, [join])

  return { ...state, sendMessage, join }
}
