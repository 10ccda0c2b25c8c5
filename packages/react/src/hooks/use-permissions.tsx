import { askerOf } from '@holdpoint/core/open-room'
import {
  isPermission,
  type PermissionReply,
  type PermissionRequest,
  permissionRequestOf,
} from '@holdpoint/core/permission-request'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { isSettled } from '../asks/answer-state.ts'
import { answeringOf } from '../asks/answering.ts'
import { useClient } from '../providers/holdpoint-provider.tsx'
import { useGateway } from './use-gateway.tsx'
import { useWholeAsk } from './use-whole-ask.ts'

export interface Permissions {
  /** What waits for a yes or a no in this session: what asks again because it has changed, then what the agent asks, then what programs have raised, oldest first in each. */
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
const LOAD_AGAIN_MS = 2000

/** The permission requests of one session, or of none, from the provider's client. */
export function usePermissions(sessionId: string | null): Permissions {
  const client = useClient()
  // Without those that were answered here already and whose event is still on its way.
  const isOpen = (ask: Ask) => !isSettled(answeringOf(client, ask).getState())
  const asks = useGateway((state) =>
    byUrgency(state.asks.filter((ask) => ask.sessionId === sessionId && isPermission(ask) && isOpen(ask))),
  )
  // What is large is loaded when it is its turn: until then there is nothing of it to show, and nothing to answer.
  const { whole: current, load, error: notLoaded } = useWholeAsk(asks[0])
  useEffect(load, [load])
  useEffect(() => {
    if (notLoaded === undefined) return
    const again = setTimeout(load, LOAD_AGAIN_MS)
    return () => clearTimeout(again)
  }, [load, notLoaded])
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

/**
 * A call that asks again comes first: it has waited since its first ask, and a person has just read it. Asks of programs
 * come last: however many they raise, they never hide what the agent asks.
 */
function byUrgency(asks: readonly Ask[]): readonly Ask[] {
  const place = (ask: Ask) => (askerOf(ask) === 'program' ? 2 : ask.replaces === undefined ? 1 : 0)
  return asks.toSorted((one, other) => place(one) - place(other))
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
