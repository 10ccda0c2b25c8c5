import {
  isPermission,
  type PermissionReply,
  type PermissionRequest,
  permissionRequestOf,
} from '@holdpoint/core/permission-request'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { isSettled } from './answer-state.ts'
import { answeringOf } from './answering.ts'
import { useClient } from './holdpoint-provider.tsx'
import { useGateway } from './use-gateway.tsx'
import { useWholeAsk } from './use-whole-ask.ts'

export interface Permissions {
  /** What waits for a yes or a no in this session, oldest first; before them, what asks again because it has changed. */
  readonly pendingQueue: readonly PermissionRequest[]
  readonly currentRequest: PermissionRequest | null
  /** Answers the current request, as it is shown. Never rejects: what goes wrong is in `error`. */
  reply(reply: PermissionReply, message?: string): Promise<void>
  /** Denies the current request. */
  dismiss(): void
  /** The last reply to the current request did not get through, or was refused. */
  readonly error: PermissionError | undefined
}

export interface PermissionError {
  readonly message: string
  readonly reply: PermissionReply
  /** Sends the same reply once more. */
  retry(): Promise<void>
}

const ATTEMPTS = 3

/** The permission requests of one session, or of none, from the provider's client. */
export function usePermissions(sessionId: string | null): Permissions {
  const client = useClient()
  // Without those that were answered here already and whose event is still on its way.
  const isOpen = (ask: Ask) => !isSettled(answeringOf(client, ask).getState())
  const asks = useGateway((state) =>
    againFirst(state.asks.filter((ask) => ask.sessionId === sessionId && isPermission(ask) && isOpen(ask))),
  )
  // What is large is loaded when it is its turn: until then there is nothing of it to show, and nothing to answer.
  const first = useWholeAsk(asks[0])
  const { whole: current, load } = first
  useEffect(load, [load])
  const pendingQueue = useMemo(
    () =>
      asks
        .flatMap((ask, place) => (place === 0 ? (current ? [current] : []) : ask.omitted ? [] : [ask]))
        .map(permissionRequestOf),
    [asks, current],
  )
  const answering = current && answeringOf(client, current)
  const getState = () => answering?.getState()
  const state = useSyncExternalStore(answering?.subscribe ?? nobody, getState, getState)
  const [last, setLast] = useState<{ readonly ask: Ask; readonly reply: PermissionReply; readonly message?: string }>()

  // Bound to what was current when this was drawn: by the time of the press another may have taken its place.
  const reply = useCallback(
    async (given: PermissionReply, message?: string) => {
      if (!current) return
      setLast({ ask: current, reply: given, ...(message !== undefined && { message }) })
      await answeringOf(client, current).answer(answerFor(current, given, message), { attempts: ATTEMPTS })
    },
    [client, current],
  )
  const dismiss = useCallback(() => void reply('deny', 'Dismissed'), [reply])
  const error = useMemo(() => {
    if (state?.kind !== 'failed' || !last || last.ask.id !== current?.id) return undefined
    return { message: state.message, reply: last.reply, retry: () => reply(last.reply, last.message) }
  }, [state, last, current, reply])

  const currentRequest = current ? (pendingQueue[0] ?? null) : null
  return { pendingQueue, currentRequest, reply, dismiss, error }
}

/** A call that asks again has waited all the while, and somebody has just looked at it. */
function againFirst(asks: readonly Ask[]): readonly Ask[] {
  const isAgain = (ask: Ask) => ask.replaces !== undefined
  return asks.some(isAgain) ? [...asks.filter(isAgain), ...asks.filter((ask) => !isAgain(ask))] : asks
}

function answerFor(ask: Ask, reply: PermissionReply, message: string | undefined): Answer {
  if (reply === 'deny') return { kind: 'deny', digest: ask.digest, ...(message !== undefined && { message }) }
  // A plan is approved once: there is nothing to remember of it.
  const remembers = reply === 'always' && ask.kind === 'approval'
  return { kind: 'allow', digest: ask.digest, ...(remembers && { remember: { scope: 'session' as const } }) }
}

function nobody() {
  return () => {}
}
